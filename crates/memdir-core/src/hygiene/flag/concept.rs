//! What a word can mean for the rules. A token carries any number of these, one bit each.

macro_rules! concepts {
    ($($(#[$documentation:meta])* $name:ident = $bit:literal;)*) => {
        $($(#[$documentation])* pub(super) const $name: u128 = 1 << $bit;)*
    };
}

concepts! {
    /// To ignore, disregard, forget, bypass.
    OVERRIDE = 0;
    /// Previous, above, existing.
    PRIOR = 1;
    /// All, any, everything, other.
    ALL = 2;
    /// Instructions, rules, guidelines.
    INSTRUCTION = 3;
    /// Whose rules matter: the system's, the client's, your own, those of safety.
    AUTHORITY = 4;
    /// The system prompt itself.
    SYSTEM_PROMPT = 5;
    /// No longer valid, suspended, void.
    VOID = 6;
    /// Not, never, without.
    NEGATION = 7;
    /// To tell, mention, inform, reveal.
    TELL = 8;
    /// The person whom the agent serves.
    USER = 9;
    /// This note, this memory.
    ITSELF = 10;
    /// Secretly, silently; to hide.
    CONCEAL = 11;
    /// To send, post, upload.
    SEND = 12;
    /// Code, files, output.
    CONTENT = 13;
    /// Conversations, environment, the whole repository.
    PRIVATE = 14;
    /// Passwords, keys and other credentials.
    SECRET = 15;
    /// A path at which credentials lie.
    SECRET_PATH = 16;
    /// An address on an unknown host.
    URL = 17;
    /// An address on a well-known or internal host.
    KNOWN_URL = 18;
    /// An e-mail address.
    EMAIL = 19;
    /// A server, webhook or endpoint.
    DESTINATION = 20;
    /// Always, every, from now on.
    EVERY = 21;
    /// To read, open, print a file.
    READ = 22;
    /// To ask for, request, collect.
    ASK = 23;
    /// To disable, switch off, skip.
    DISABLE = 24;
    /// Verification, authentication, certificates.
    PROTECTION = 25;
    /// Tests, local development, staging.
    TESTING = 26;
    /// To install, download, depend on.
    INSTALL = 27;
    /// Instead of, in place of.
    INSTEAD = 28;
    /// To add, register, put.
    ADD = 29;
    /// A hook of the agent's client, or where its settings lie.
    HOOK = 30;
    /// An MCP server.
    MCP = 31;
    /// A program that fetches or starts others.
    COMMAND = 32;
    /// A switch that turns asking off.
    PERMISSION = 33;
    /// To delete, wipe, destroy.
    DESTROY = 34;
    /// Memories, notes, backups, history.
    KEEPSAKE = 35;
    /// To print, output, repeat.
    OUTPUT = 36;
    /// To answer, claim, report.
    ANSWER = 37;
    /// A person's record, account, balance.
    RECORD = 38;
    /// If, when.
    CONDITION = 39;
    /// A model by name, or artificial intelligence.
    MODEL = 40;
    /// You are now, pretend, act as.
    ROLE = 41;
    /// A mode or persona without limits.
    UNLIMITED = 42;
    /// Approved, authorised.
    APPROVED = 43;
    /// Commands, writes, requests: what approval is for.
    ACTIONS = 44;
    /// Future sessions, for ever.
    FUTURE = 45;
    /// Words of people who write *about* attacks.
    MENTION = 46;
    /// Parts of a product, whose users are not ours.
    PRODUCT = 47;
    /// When asked.
    ASKED = 48;
    /// None, nothing, does not exist.
    NOTHING = 49;
    /// To follow, obey, execute.
    OBEY = 50;
    /// To save, remember, copy.
    SAVE = 51;
    /// Asking for confirmation.
    CONFIRMATION = 52;
    /// Plain text, weak hashes, logs.
    CARELESS = 53;
    /// Answers, replies, messages of the agent.
    REPLY = 54;
    /// Fine, passed, safe: what a false report says.
    FINE = 55;
    /// Failed, found, wrong.
    FAILED = 56;
    /// Projects, sessions, files to which a note could spread.
    PLACES = 57;
    /// An image with an address.
    IMAGE = 58;
    /// A place to fill in inside an address.
    PLACEHOLDER = 59;
    /// New, updated, real.
    NEW = 60;
    /// A source or product to be preferred.
    FAVOURED = 62;
    /// Words that make "rules" and "instructions" those of a tool or a document.
    TECHNICAL = 63;
    /// The user as the one to whom something is (not) told, in languages where order does not say so.
    USER_OBJECT = 64;
    /// To append, embed, include.
    EMBED = 65;
    /// A program at an address on an unknown host.
    SCRIPT_URL = 66;
    /// For, their, to enter: what the reader is to hand over.
    OBTAIN = 67;
    /// A file that starts programs, where people legitimately put lines.
    STARTUP_FILE = 68;
    /// Production, payments, root.
    RISKY = 69;
    /// Old, expired, temporary.
    STALE = 70;
    /// If.
    IF = 71;
    /// To recommend, cite, trust.
    RECOMMEND = 72;
    /// To commit, log, hard-code.
    SPILL = 73;
    /// A setting that switches a check off.
    UNSAFE_SETTING = 74;
    /// Deleted, removed, lost.
    LOST = 75;
    /// An address that no ordinary note has: a bare public address, a throw-away host, a reserved name.
    ODD_URL = 76;
    /// Without question, above all else, whatever it says.
    BLINDLY = 77;
    /// Speaks to a model that reads it.
    ADDRESS = 78;
    /// What the user says or wants.
    USER_SAYS = 79;
    /// A place that others read: a commit message, a reply, a log.
    EXPOSED = 80;
    /// Always true, never checked, open to everyone.
    NEUTRALISED = 81;
    /// Public, open, world-readable.
    OPEN = 82;
    /// Buckets, databases, ports.
    RESOURCE = 83;
    /// To make, leave, keep something in a state.
    LEAVE = 84;
    /// A back door, a reverse shell.
    BACKDOOR = 85;
    /// On purpose, by design.
    INTENDED = 86;
    /// To approve, merge, accept.
    APPROVE = 87;
    /// Tests, scans, reviews: what is reported on.
    REVIEWS = 88;
    /// Just, simply.
    JUST = 89;
    /// Whether: an honest question.
    WHETHER = 90;
    /// A tool, its arguments and fields.
    TOOL = 91;
    /// As root, as the system, as trusted.
    ELEVATED = 92;
    /// Whatever the user asks.
    WHATEVER = 93;
    /// Malicious, outdated, dangerous.
    SLANDERED = 94;
    /// The end of the memory, the beginning of another speaker's words.
    BOUNDARY = 95;
    /// A place where things are dropped for strangers.
    DROP = 96;
    /// To fetch, visit, use.
    TRY = 97;
    /// Even though.
    ALTHOUGH = 98;
    /// To grant.
    GIVE = 99;
    /// Rights of an administrator.
    POWER = 100;
    /// A verb that follows its object.
    VERB_LAST = 101;
    /// Without being noticed.
    UNNOTICED = 102;
    /// To claim, pretend, deny.
    LIE = 103;
    /// To write something again that was removed.
    RESTORE = 104;
    /// Them to enter, again.
    REENTER = 105;
    /// A secret that belongs to the user.
    THEIR_SECRET = 106;
    /// All that was said, wholesale.
    CONVERSATION = 107;
    /// What was done and is to stay unsaid: were uploaded, was deleted.
    DEED = 108;
    /// Names a person who wants it: asked you to, requires you to.
    CLAIM = 109;
}
