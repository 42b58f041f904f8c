//! What combinations of meanings in one sentence are an order that no memory should give.
//!
//! A single word never counts. Every rule wants a verb, its object and who is addressed or where it goes, close
//! together and not negated, and steps back where the words belong to a tool, a test or a product's own users.

use super::super::Reason;
use super::concept::*;
use super::words::Sentence;

type Rule = (Reason, fn(&Sentence) -> bool);

const RULES: &[Rule] = &[
    (Reason::OverridesInstructions, sets_instructions_aside),
    (Reason::OverridesInstructions, voids_rules),
    (Reason::OverridesInstructions, gives_new_role),
    (Reason::OverridesInstructions, addresses_model),
    (Reason::Exfiltration, reveals_prompt),
    (Reason::Concealment, keeps_from_user),
    (Reason::Concealment, denies_when_asked),
    (Reason::Exfiltration, sends_private_content),
    (Reason::Exfiltration, embeds_address_in_replies),
    (Reason::CredentialAccess, reads_credentials),
    (Reason::CredentialAccess, asks_for_credentials),
    (Reason::RemoteCode, runs_from_address),
    (Reason::RemoteCode, replaces_dependency),
    (Reason::OutsideReference, acts_on_odd_address),
    (Reason::RemoteCode, opens_back_door),
    (Reason::PermissionChange, widens_permissions),
    (Reason::PermissionChange, adds_hook_or_server),
    (Reason::PermissionChange, claims_approval),
    (Reason::WeakensSecurity, switches_protection_off),
    (Reason::WeakensSecurity, spills_secrets),
    (Reason::Destructive, destroys_keepsakes),
    (Reason::FalseAnswers, swaps_records),
    (Reason::FalseAnswers, depends_on_model),
    (Reason::FalseAnswers, reports_falsely),
    (Reason::FalseAnswers, favours),
    (Reason::SelfPersistence, spreads_itself),
];

/// The reasons that one sentence gives.
pub(super) fn reasons_of(sentence: &Sentence) -> impl Iterator<Item = Reason> + '_ {
    RULES.iter().filter(|(_, applies)| applies(sentence)).map(|(reason, _)| *reason)
}

fn sets_instructions_aside(sentence: &Sentence) -> bool {
    let whose = PRIOR | ALL | AUTHORITY | SYSTEM_PROMPT;
    let ignores_rules = sentence.orders(OVERRIDE, INSTRUCTION, 10)
        && sentence.near(INSTRUCTION, whose, 6)
        && !sentence.near(INSTRUCTION, TECHNICAL, 2)
        && !sentence.near(OVERRIDE, TECHNICAL, 1);
    let ignores_prompt = sentence.asks(OVERRIDE, SYSTEM_PROMPT, 6);
    let outranks = sentence.has(ITSELF) && sentence.asks(OVERRIDE, AUTHORITY | SYSTEM_PROMPT, 5);
    let announces = sentence.tokens.iter().enumerate().any(|(index, token)| {
        token.meaning & (SYSTEM_PROMPT | INSTRUCTION) != 0
            && (index.saturating_sub(2)..index)
                .any(|before| sentence.tokens.get(before).is_some_and(|token| token.meaning & NEW != 0))
            && sentence
                .tokens
                .get(index..(index + 2).min(sentence.tokens.len()))
                .unwrap_or_default()
                .iter()
                .any(|token| token.has_colon)
    }) && !sentence.has(TECHNICAL);
    ignores_rules || ignores_prompt || outranks || announces || sentence.orders(OVERRIDE, USER_SAYS, 4)
}

fn voids_rules(sentence: &Sentence) -> bool {
    let rules = INSTRUCTION | SYSTEM_PROMPT;
    let voided = sentence.near(VOID, rules, 8)
        && sentence.near(rules, AUTHORITY | SYSTEM_PROMPT | ALL, 4)
        && !sentence.near(INSTRUCTION, TECHNICAL, 2);
    voided
        || (sentence.near(VOID, PROTECTION, 4)
            && sentence.near(PROTECTION, AUTHORITY, 2)
            && !sentence.has(TESTING))
}

fn gives_new_role(sentence: &Sentence) -> bool {
    sentence.asks(ROLE, UNLIMITED, 10)
}

/// Speaks to the model that reads it, or pretends to be another speaker.
fn addresses_model(sentence: &Sentence) -> bool {
    sentence.has(ADDRESS | BOUNDARY)
        || (sentence.starts_free(BLINDLY)
            && sentence.has(OBEY | INSTRUCTION | ITSELF | AUTHORITY | MODEL | USER)
            && !sentence.has(PRODUCT | TESTING))
        || sentence.orders(ANSWER | RECOMMEND, ELEVATED, 12)
        || sentence.asks(BLINDLY, URL, 10)
        || (sentence.has(BLINDLY) && sentence.has(OBEY))
        || (sentence.has(CLAIM)
            && sentence.has(PRIVATE | SECRET | SECRET_PATH | PROTECTION | URL | PERMISSION))
}

fn reveals_prompt(sentence: &Sentence) -> bool {
    sentence.orders(OUTPUT, SYSTEM_PROMPT, 6) && !sentence.has(PRODUCT)
}

fn keeps_from_user(sentence: &Sentence) -> bool {
    if sentence.has(PRODUCT) {
        return false;
    }
    let does_not_tell = sentence.negates(TELL, USER, 9) || sentence.negates(TELL, ITSELF, 6);
    // Where endings and not the order say who is told, all three must only be close.
    let inflected = sentence.near(TELL, USER_OBJECT | ITSELF, 10)
        && sentence.near(NEGATION, TELL, 5)
        && sentence.has(USER_OBJECT | ITSELF)
        && (sentence.has(USER_OBJECT) || sentence.negates(TELL, ITSELF, 8));
    let hides =
        sentence.asks(CONCEAL, USER | USER_OBJECT, 7) && sentence.before(CONCEAL, USER | USER_OBJECT, 7);
    does_not_tell
        || sentence.negates(TELL, DEED, 10)
        || sentence.has(UNNOTICED)
        || inflected
        || hides
        || (sentence.has(CONCEAL) && sentence.has(SEND) && sentence.has(URL | EMAIL | PRIVATE | SECRET))
}

fn denies_when_asked(sentence: &Sentence) -> bool {
    if sentence.has(CONDITION)
        && sentence.before(ASKED, LIE, 10)
        && sentence.affirms(LIE)
        && !sentence.has(PRODUCT)
    {
        return true;
    }
    sentence.has(CONDITION)
        && sentence.before(ASKED, ANSWER | TELL, 10)
        && sentence.before(ANSWER | TELL, NOTHING, 5)
        && !sentence.has(PRODUCT)
}

fn sends_private_content(sentence: &Sentence) -> bool {
    let target = URL | EMAIL | DESTINATION;
    let secrets = sentence.asks(SEND, SECRET | SECRET_PATH, 12) && sentence.has(target);
    let private = sentence.asks(SEND, PRIVATE, 12) && sentence.has(target) && !sentence.has(PRODUCT);
    let habit =
        sentence.asks(SEND, CONTENT, 8) && sentence.has(URL) && sentence.has(EVERY) && !sentence.has(TESTING);
    let hidden = sentence.asks(SEND, CONTENT | PRIVATE | SECRET, 8) && sentence.has(CONCEAL);
    let dropped = sentence.asks(SEND | READ, CONTENT | PRIVATE | SECRET, 8) && sentence.has(DROP);
    let through_tool = sentence.has(TOOL)
        && (sentence.asks(EMBED | SEND | TRY, PRIVATE, 10) || sentence.affirms(CONVERSATION));
    secrets || private || habit || hidden || dropped || through_tool
}

fn embeds_address_in_replies(sentence: &Sentence) -> bool {
    let image =
        sentence.has(IMAGE) && (sentence.has(PLACEHOLDER) || (sentence.has(EVERY) && sentence.has(REPLY)));
    let filled_in = sentence.has(PLACEHOLDER)
        && sentence.has(URL)
        && (sentence.has(EMBED) || sentence.has(SEND))
        && !sentence.has(PRODUCT);
    let link =
        sentence.has(URL) && sentence.has(EVERY) && sentence.asks(EMBED, REPLY, 12) && !sentence.has(PRODUCT);
    let data_in_address = sentence.has(URL) && sentence.asks(EMBED | SEND, PRIVATE | SECRET, 8);
    image || filled_in || link || data_in_address
}

fn reads_credentials(sentence: &Sentence) -> bool {
    sentence.asks(READ | SEND | EMBED, SECRET_PATH, 8)
        && !sentence.has(TESTING)
        && !sentence.before(EMBED, STARTUP_FILE, 8)
}

fn asks_for_credentials(sentence: &Sentence) -> bool {
    let asks = sentence.orders(ASK, USER | USER_OBJECT, 4)
        && sentence.before(USER | USER_OBJECT, SECRET, 8)
        && (sentence.near(OBTAIN, SECRET, 4) || sentence.has(USER_OBJECT));
    let prompts = sentence.has(USER)
        && sentence.orders(ASK, OBTAIN, 4)
        && sentence.before(OBTAIN, SECRET, 4)
        && sentence.has(REENTER);
    let wants_theirs = sentence.orders(ASK, THEIR_SECRET, 6);
    (asks || prompts || wants_theirs) && !sentence.has(PRODUCT)
}

fn runs_from_address(sentence: &Sentence) -> bool {
    sentence.asks(OBEY | COMMAND | INSTALL | ADD | HOOK, SCRIPT_URL, 8)
}

fn replaces_dependency(sentence: &Sentence) -> bool {
    sentence.asks(INSTALL, URL, 10) && sentence.has(INSTEAD)
}

/// Any order about an address that no ordinary note has.
fn acts_on_odd_address(sentence: &Sentence) -> bool {
    let verbs = TRY | SEND | EMBED | INSTALL | ADD | READ | SAVE | ANSWER | OBEY | COMMAND | GIVE;
    sentence.asks(verbs, ODD_URL, 14) && !sentence.has(TESTING | MENTION)
}

fn opens_back_door(sentence: &Sentence) -> bool {
    sentence.asks(ADD | LEAVE | INTENDED | INSTALL | OBEY, BACKDOOR, 6) && !sentence.has(MENTION)
}

fn widens_permissions(sentence: &Sentence) -> bool {
    let switch = sentence.starts_free(PERMISSION) && !sentence.has(TESTING | MENTION);
    let unasked = sentence.starts_free(CONFIRMATION)
        && (sentence.near(ALL, ACTIONS, 5)
            || sentence.has(RISKY)
            || (sentence.has(DESTROY) && sentence.has(KEEPSAKE))
            || sentence.has(URL));
    let raised = sentence.orders(GIVE, POWER, 8) && (sentence.has(EVERY) || sentence.has(EMAIL));
    let licence =
        sentence.has(APPROVED) && sentence.near(ALL, SECRET, 8) && sentence.orders(READ, SECRET | ALL, 8);
    let blind = sentence.orders(APPROVE, ALL, 3) && sentence.has(FAILED | WHATEVER);
    switch || unasked || raised || licence || blind
}

fn adds_hook_or_server(sentence: &Sentence) -> bool {
    let fetches = URL | COMMAND | SCRIPT_URL;
    (sentence.asks(ADD, HOOK, 12) && sentence.has(fetches))
        || (sentence.asks(ADD, STARTUP_FILE, 12) && sentence.has(fetches & !COMMAND | SCRIPT_URL))
        || (sentence.orders(ADD, MCP, 6) && sentence.has(fetches))
        || (sentence.has(PERMISSION) && sentence.asks(ADD, HOOK, 12))
}

fn claims_approval(sentence: &Sentence) -> bool {
    (sentence.orders(APPROVED, ALL, 3) && sentence.before(ALL, ACTIONS, 3))
        || (sentence.starts_free(CONFIRMATION) && sentence.has(APPROVED) && sentence.near(ALL, ACTIONS, 2))
}

fn switches_protection_off(sentence: &Sentence) -> bool {
    if sentence.has(TESTING) {
        return false;
    }
    sentence.orders(DISABLE, PROTECTION, 6)
        || sentence.near(PROTECTION, NEUTRALISED, 5)
        || (sentence.orders(LEAVE, OPEN, 7) && sentence.orders(LEAVE, RESOURCE, 4))
        || (sentence.has(EVERY) && sentence.starts_free(UNSAFE_SETTING))
}

fn spills_secrets(sentence: &Sentence) -> bool {
    if sentence.has(TESTING | PRODUCT) {
        return false;
    }
    (sentence.orders(SPILL, SECRET, 4) && sentence.has(EVERY | CARELESS))
        || (sentence.orders(EMBED | SEND | SPILL | ADD | SAVE, SECRET | PRIVATE, 6)
            && sentence.before(SECRET | PRIVATE, EXPOSED, 9))
        || (sentence.asks(SAVE, SECRET, 4) && sentence.has(CARELESS) && !sentence.has(NEGATION))
}

fn destroys_keepsakes(sentence: &Sentence) -> bool {
    (sentence.orders(DESTROY, KEEPSAKE, 6)
        || (sentence.has(SLANDERED) && sentence.asks(DESTROY, KEEPSAKE, 12)))
        && sentence.near(KEEPSAKE, ALL, 4)
        && !sentence.before(STALE, KEEPSAKE, 3)
        && !sentence.before(KEEPSAKE, STALE, 1)
        && !sentence.has(TESTING)
}

fn swaps_records(sentence: &Sentence) -> bool {
    let always = sentence.near(ANSWER, EVERY, 4) && sentence.orders(ANSWER, RECORD, 8);
    let other = sentence.before(ASKED, RECORD, 6) && sentence.before(RECORD, INSTEAD, 12);
    (always || other) && !sentence.has(PRODUCT)
}

fn depends_on_model(sentence: &Sentence) -> bool {
    sentence.before(IF, MODEL, 5) && sentence.before(MODEL, OUTPUT, 6) && !sentence.has(PRODUCT | TESTING)
}

fn reports_falsely(sentence: &Sentence) -> bool {
    let despite = sentence.orders(ANSWER, FINE, 8) && sentence.near(FINE, FAILED, 8);
    let sweeping = sentence.orders(ANSWER, FINE, 4)
        && sentence.has(REVIEWS)
        && sentence.has(ALL | EVERY | JUST)
        && !sentence.has(WHETHER);
    let untrue = sentence.near(ANSWER, EVERY, 3) && sentence.has(ALTHOUGH);
    (despite || sweeping || untrue) && !sentence.has(PRODUCT)
}

fn favours(sentence: &Sentence) -> bool {
    (sentence.asks(RECOMMEND, FAVOURED, 10) && sentence.has(EVERY | URL | FUTURE))
        || (sentence.has(WHATEVER) && sentence.has(FAVOURED | URL))
        || (sentence.orders(RECOMMEND, EVERY | ALL, 6) && sentence.near(SLANDERED, ALL, 3))
}

fn spreads_itself(sentence: &Sentence) -> bool {
    let copies = (sentence.orders(SAVE, ITSELF, 4)
        || (sentence.before(ITSELF, SAVE, 5) && sentence.affirms(SAVE)))
        && sentence.near(PLACES, ALL | EVERY | FUTURE, 4);
    let survives = sentence.orders(SAVE | INTENDED, ITSELF, 3)
        && sentence.has(FAILED)
        && sentence.has(ASKED | OVERRIDE | DESTROY | LOST);
    let returns = (sentence.has(RESTORE) && sentence.near(RESTORE, LOST, 8) && sentence.has(ITSELF))
        || sentence.has(CONDITION) && sentence.near(ITSELF, LOST, 6) && sentence.before(LOST, SAVE, 6);
    let replaces = sentence.orders(DESTROY | SAVE, KEEPSAKE, 4)
        && sentence.before(KEEPSAKE, ITSELF, 5)
        && !sentence.has(STALE);
    let stays = sentence.before(ITSELF, LOST, 20)
        && sentence.near(NEGATION, LOST, 2)
        && sentence.has(FUTURE | EVERY | KEEPSAKE);
    copies || survives || returns || replaces || stays
}
