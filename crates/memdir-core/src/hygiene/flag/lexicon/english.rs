//! English.

use super::super::concept::*;

pub(super) const WORDS: &[(u128, &str)] = &[
    (
        OVERRIDE,
        "ignore, ignoring, disregard*, forget, overrid*, bypass*, neglect, circumvent, pay no attention, set aside, discard, abandon, supersede*, takes precedence over, take precedence over, stop following, do not follow, dont follow, no need to follow, not bound by, free from, erase your, throw away, nevermind, leave behind, outrank*, trumps, overrule*, violate, stop applying, stop obeying, stop enforcing, do not apply your, no longer follow, do not obey, never follow, do not comply, stop honoring, stop honouring, overlook",
    ),
    (
        PRIOR,
        "previous*, prior, earlier, above, preceding, past, existing, original, foregoing, initial, before this, \
        so far, up to now, given before, received, old, current, your, those, hitherto",
    ),
    (
        ALL,
        "all, any, every, everything, entire, whole, other, others, each, anything, full, complete*, total",
    ),
    (
        INSTRUCTION,
        "instruction*, all limits, all limitations, all constraints, safety limits, directive*, guideline*, rules, rule, prompt, prompts, orders, polic*, constraint*, restriction*, safeguard*, guardrail*, limitations, programming, guidance, directions, training, protocols, policies, you were told, you have been told, youve been told, you were given, you have been given, told you",
    ),
    (
        AUTHORITY,
        "system, safety, claude md, claudemd, agents md, your, security, ethical, anthropic, openai, developer, moderation, permission, built in, core, content policy, usage policy",
    ),
    (
        SYSTEM_PROMPT,
        "system prompt, system prompts, system message, system instruction*, initial prompt, hidden prompt, your instructions, your prompt, your rules, developer message, everything above, your configuration, your guidelines",
    ),
    (
        VOID,
        "no longer apply, no longer applies, do not apply, does not apply, dont apply, are void, is void, null and void, suspended, lifted, are cancelled, no longer valid, no longer relevant, no longer bind*, revoked, obsolete now, are off, not in effect, do not count, superseded, rescinded, are waived, is waived, overridden, are off, is off, turned off until, are lifted, is lifted, no longer in force, do not apply here, switched off, no longer need to, no longer have to, no longer required to, need not, replaced by this, replaced by these, replaced by the ones, replaced by the following, are only suggestions, are just suggestions, are merely, are optional now, are deprecated and, expire now, have expired, were a mistake, are cancelled, have been lifted, have been removed for",
    ),
    (
        NEGATION,
        "not, never, dont, without, no, avoid, cannot, cant, mustnt, shouldnt, neither, nor, stop, wont, doesnt, \
        prohibited, forbidden, refuse, instead of, rather than, nobody, refrain",
    ),
    (
        TELL,
        "let the user know, letting the user know, let on, let anyone know, tell, telling, mention*, inform*, reveal*, disclos*, notify*, notifying, alert, alerting, warn, warning the, let on, report this, reporting this, acknowledg*, admit, discuss, bring up, show the user, showing the user, talk about, cite this, quote this, explain this, show, showing, display to, report, reporting",
    ),
    (USER, "user, human, owner, operator, anyone, anybody, maintainer, reviewer, users back"),
    (
        ITSELF,
        "this note, this memory, this instruction, these instructions, this entry, this message, this rule, this text, this directive, this file exists, this line, this step, this paragraph, this prompt, this policy, these rules, this memo, these notes, that you did, you did this, where this came from, this exchange, this behavior, this behaviour, this change, this action, this snippet, this section, this block, the text below",
    ),
    (
        CONCEAL,
        "secretly, silently, quietly, covertly, discreetly, conceal*, hide, hidden from, stealth*, keep this secret, \
        keep it secret, keep this private, confidential from, behind the scenes, between us, unnoticed, in the background without, \
        without leaving, no trace, without a trace, keep quiet, keep silent, stay silent",
    ),
    (
        SEND,
        "send, sends, sending, post, posts, upload*, exfiltrat*, transmit*, forward, leak, email, mail, submit, share, deliver, curl, beacon, phone home, relay, dispatch, publish, ship, smuggle, pass along, report back, push",
    ),
    (EMBED, "append, embed, encode, put, include, attach, add, insert, place, end, begin, prepend, render"),
    (
        CONTENT,
        "diff, diffs, source, code, codebase, contents, files, repository, workspace, changes, responses, answers, prompts, messages",
    ),
    (
        PRIVATE,
        "conversation*, chat history, chat log*, transcript*, environment variables, env vars, environment, process env, printenv, system prompt, memory contents, memories, source code, context window, full context, private repositor*, customer data, personal data, session history, users messages, user messages, everything the user, what the user, clipboard, private code, internal documents, shell history, bash history, user data, user input, the users prompt, the context, users full message, users message, full message, last ten messages, last messages, previous messages, chat messages, every message, all messages, user prompt, users prompt, users question, users request",
    ),
    (
        SECRET,
        "password*, passwd, credential*, api key*, apikey*, secret, secrets, private key*, ssh key*, access token*, auth token*, \
        api token*, bearer token*, session token*, access key*, seed phrase*, recovery phrase*, mnemonic, credit card*, cvv, \
        one time code*, one time password*, otp, otp code*, verification code*, pin code*, 2fa code*, mfa code*, ssn, env file*, env files, secret key*, wallet, cookies, session cookie*, oauth token*, \
        tokens, github token, npm token, keychain, dotenv, signing key*, vault",
    ),
    (
        DESTINATION,
        "webhook*, external server, remote server, my server, collector, pastebin, telegram, discord, ngrok, this address, the following address, attacker, external address, external site, paste site, remote host, outside server, external endpoint, external url, third party server, public gist, dns quer*, dns lookup*",
    ),
    (
        EVERY,
        "always, every, each, whenever, from now on, henceforth, any time, anytime, every time, from here on, going forward, at all times, constantly, permanently, without exception, on every, regardless",
    ),
    (
        READ,
        "read, open, cat, load, collect, dump, extract, harvest, gather, contents of, content of, given the, scan, grep, parse, print, echo, copy, attach, include, look in, look inside, look into, search, grab, retrieve, fetch, inspect, steal, output, paste",
    ),
    (ASK, "ask, asks, request, prompt, demand, require"),
    (OBTAIN, "for, their, enter, provide, paste, supply, type, give, share, hand over"),
    (
        DISABLE,
        "disable, turn off, switch off, skip, skipping, bypass, deactivate, weaken, suppress, comment out, stop checking, stop verifying, stop validating, do not verify, dont verify, do not validate, dont validate, accept any, accept all, trust any, trust all, circumvent, do not enforce, never verify, never validate, never check, do not check, dont check, do not run, dont run, never run, stop running, do not use, never require, do not require, dont require, remove the auth, remove the authentication, remove auth check*, remove the signature, remove signature, remove the validation, remove input validation, remove permission check*, remove the permission, remove the security, remove security, remove the certificate, remove rate",
    ),
    (
        PROTECTION,
        "signature verification, signature check*, signature validation, verify signatures, verification, tls, ssl, certificate*, authentication, authorization, authorisation, auth check*, auth middleware, csrf, sandbox*, permission check*, permission prompt*, access control*, security check*, security scan*, security warning*, security polic*, security header*, security control*, secret scan*, secret detection, audit log*, audit trail*, 2fa, mfa, firewall, code signing, selinux, antivirus, edr, input validation, sanitization, sanitisation, sanitizing, signature*, branch protection, encryption, password hashing, password check*, commit signing, integrity check*, hash verification, host key*, safety check*, origin check*, token validation, jwt validation, security review*, security test*, vulnerability scan*, content filter*, safety filter*, secret scanner, security scanner, scanner, security tool*, password check, virus scan*, code review*, permission system, approval step",
    ),
    (
        TESTING,
        "test, tests, testing, local, locally, localhost, dev, development, mock, mocks, staging, fixture*, e2e, ci, sandbox env*, unit, demo, \
        storybook, playground, benchmark*, integration, minikube, docker compose, emulator, simulator, jest, pytest, vitest, playwright, cypress",
    ),
    (
        INSTALL,
        "install, installs, download, pip install, npm install, npm i, cargo add, depend on, add dependency, dependency, package, pull, pin, vendor, \
        clone, go get, gem install, brew install, registry, index url, extra index url, mirror, replace",
    ),
    (INSTEAD, "instead of, in place of, rather than, instead, replace, replacing, substitute, swap"),
    (
        ADD,
        "add, register, put, insert, append, write, configure, enable, create, set, edit, change, update, modify, include, place, save, paste, grant, connect, install",
    ),
    (
        HOOK,
        "sessionstart, pretooluse, posttooluse, userpromptsubmit, sessionend, precompact, subagentstop, stop hook, claude hook*, claude settings, settings json, settings local json, mcp json, apikeyhelper, statusline, startup hook, claude desktop config json, permissions allow, allowedtools",
    ),
    (
        STARTUP_FILE,
        "crontab, cron job, cron, launchagent*, authorized keys, sudoers, systemd unit, systemd service, login item*, bashrc, zshrc, bash profile, zprofile, profile, git hooks, post checkout hook, pre commit hook, hookspath, rc local, postinstall, autostart",
    ),
    (MCP, "mcp server*, mcp, mcpservers, mcp tool*, plugin marketplace, marketplace, tool server"),
    (COMMAND, "npx, uvx, curl, wget, powershell, iex, nc, netcat, base64, bunx, pipx run"),
    (
        PERMISSION,
        "dangerously skip permissions, bypasspermissions, bypass permissions, skip permissions, skip all permission*, yolo mode, nopasswd, dangerouslydisablesandbox, enableallprojectmcpservers, allow all tools, allow all commands, auto approve all, auto approve every, auto approve any, auto accept all, auto accept every, approve all tool*, approve every tool*, approve all permission*, accept all permission*, approve every permission*",
    ),
    (
        DESTROY,
        "delete, erase, wipe, remove, purge, destroy, rm, drop, truncate, overwrite, clear, scrub, shred, clean out, rewrite, get rid of, nuke, corrupt, format",
    ),
    (
        KEEPSAKE,
        "memories, memory files, memory directory, memory, notes, backups, git history, audit log*, claude md, users files, home directory, home folder, production database, prod database, production data, memory md, commit history, reflog, undo history, customer records, production bucket, user data, users data, home",
    ),
    (
        OUTPUT,
        "print, output, outputs, say, reply, respond, repeat, display, reveal, show, emit, echo, dump, leak, recite, spell out, execute, insert, disclose, answer, paste, translate, summarize",
    ),
    (
        ANSWER,
        "answer*, respond*, reply, replies, return, say, claim, state, report, insist, tell, pretend, assert, mark, treat, label, declare, deny, present, describe, rate, conclude, swear, maintain that, speak, quote",
    ),
    (
        RECORD,
        "record*, account, balance, invoice, diagnosis, dosage, iban, bank details, payment details, routing number, customer, patient, \
        prescription, figures, results of, address of, data of, details of",
    ),
    (CONDITION, "if, when, whenever, unless, once, as soon as, after, in case"),
    (
        MODEL,
        "claude, gpt, chatgpt, gemini, copilot, an ai, a language model, llm, ai assistant, ai agent, ai model, language model, an llm, you are an ai, a claude model, you are claude, an anthropic model, sonnet, opus, haiku",
    ),
    (
        ROLE,
        "you are now, you are no longer, pretend, act as, roleplay, role play, from now on you are, you will be, you must act, become, simulate, assume the role, your new role, your new name, your true, imagine you, behave as, you are in, take on the, your real, respond as, youre now",
    ),
    (
        UNLIMITED,
        "devmode, dev mode, developer mode, jailbreak*, jailbroken, unrestricted, no restrictions, no limits, without restrictions, without limits, dan, god mode, \
        admin mode, root mode, maintenance mode, debug mode, uncensored, unfiltered, do anything now, no rules, without rules, sudo mode, \
        without filters, no filters, unlimited, evil, persona, alter ego, no longer claude, no longer an ai, freed, opposite mode, \
        safety disabled, no guidelines, override mode, different ai, without any restrictions, without any limits, purpose is",
    ),
    (
        APPROVED,
        "approved, authorized, authorised, consented, granted, allowed, permitted, pre approved, preapproved, pre authorized, permits, authorizes, has confirmed, agreed, cleared, signed off, whitelisted, already allowed, you have permission, have permission",
    ),
    (
        ACTIONS,
        "writes, commands, actions, permissions, operations, tool calls, access, executions, uploads, transfers, payments, purchases, network access, shell commands, tools, requests, action, every action, tool call, command, every command, shell command, tool use",
    ),
    (
        FUTURE,
        "future, forever, all future, later sessions, next sessions, every session, permanently, across sessions, from now on, subsequent, each session, for good, persist*, survive*, long term, all conversations, every conversation, always",
    ),
    (
        MENTION,
        "test, tests, tested, fixture*, regex, regexes, example, examples, injection, injections, detector, detection, detect*, attack, attacks, docs, documented, documentation, \
        guardrail test, payload, sample, samples, phrase, phrases, pattern, patterns, blocked, blocks, filter, filters, corpus, string, strings, eval, evals, evaluation, \
        lint, linter, red team, redteam, jailbreaks, classifier, flagged, flags, catches, reject, rejects, cve, advisory, talk, article, blog, paper, quotes, literal, bug, vulnerability, benchmark, dataset, \
        title, headed, labelled, error message, shows, prints",
    ),
    (
        PRODUCT,
        "app, api, endpoint, page, ui, ux, form, login, button, modal, toast, screen, dialog, banner, frontend, backend, website, site, component, service, feature, customers, users, error message*, error messages, cli, handler, middleware, gateway, banner, checkout, signup, onboarding, tooltip, notification, chatbot, bot, client, stack trace*, raw, sql, error, errors, exception*",
    ),
    (
        ASKED,
        "asked, asks, asking about, questioned, inquires, queried, wonders, challenged, audited, confronted",
    ),
    (
        NOTHING,
        "none, nothing, no memory, no memories, no such, does not exist, do not know, dont know, unaware, no record, not aware, no instructions, no idea, was a mistake, deny, no note, no notes, you have no, coincidence, you cannot, you dont, you do not",
    ),
    (
        OBEY,
        "follow, obey, execute, comply, decode, act on, run it, run this, run the, carry out, run, perform, apply, interpret, decrypt, do what it says, do as, do what, evaluate, adhere",
    ),
    (
        SAVE,
        "save, store, remember, copy, replicate, spread, propagate, persist, keep, write, add, repeat, re add, recreate, restore, insert, append, include, reinsert, put, duplicate, record, restate, contains, contain, containing, create, copied, repeated, propagated, carried over, replicated",
    ),
    (
        CONFIRMATION,
        "without asking, without confirmation, without permission, without approval, without prompting, without confirming, no confirmation, not ask for confirmation, not ask for permission, not ask the user, never ask for confirmation, never ask for permission, skip confirmation*, dont ask for permission, dont ask for confirmation, dont ask, never ask, no approval, without review, without user approval, without user consent, without further confirmation, without consent, without checking with, skip the confirmation, skip the approval, no need to confirm, no need to ask, without waiting for approval, without verification, do not confirm, stop asking, do not ask again, dont ask again, no need for approval, without any confirmation, never prompt, never wait for, confirmations are already, confirmation is already, already confirmed, approval is already, approvals are already",
    ),
    (
        CARELESS,
        "hardcode, hard code, plaintext, plain text, cleartext, md5, unencrypted, unhashed, public gist, public repo*",
    ),
    (SPILL, "commit, hardcode, hard code, log, print, echo, embed, check in, paste"),
    (
        UNSAFE_SETTING,
        "verify false, rejectunauthorized false, node tls reject unauthorized, no verify, stricthostkeychecking no, stricthostkeychecking, insecureskipverify, chmod 777, no check certificate, gitsslverify false, sslverify false, disable web security, no gpg sign, allow unsigned, trusted host, insecure",
    ),
    (
        RISKY,
        "destructive, production, prod, payment*, transfer*, purchase*, sudo, root, money, wire, funds, force push, pay",
    ),
    (
        STALE,
        "old, older, stale, expired, temporary, temp, tmp, merged, outdated, unused, generated, duplicate*, obsolete, weekly, monthly, days",
    ),
    (
        LOST,
        "deleted, removed, lost, missing, erased, cleared, gone, disappears, removes, deletes, deleting, removing",
    ),
    (IF, "if"),
    (
        RECOMMEND,
        "recommend*, cite, promote, suggest, remember, treat, prefer, trust, favor, favour, mention, list, rank, endorse, quote",
    ),
    (
        TECHNICAL,
        "lint, linter, eslint, clippy, style, css, build, setup, install*, formatting, format, prettier, firewall, routing, assembly, sql, readme, \
        deploy*, compiler, git, gitignore, typescript, tslint, nginx, validation, naming, sonar, sonarqube, commit, grammar, release, onboarding, migration, test, tests, testing, docker, \
        dockerfile, wiki, makefile, cpu, simd, ruff, pylint, mypy, flake8, rubocop, stylelint, ts, webpack, babel, indentation, whitespace, alerting, iptables, ingress, business, \
        upgrade, upgrading, cache, caching, retention, pricing, tax, discount, iam, s3, branch, coding, editorconfig, biome, spelling, markdownlint, shellcheck, make, \
        stylesheet*, yaml, schema, rate, retry, warnings, warning, lints, regex, parser, dependabot, renovate, codeowners, package, module, import, cookie, privacy, hr, vacation, travel, expense, \
        assembler, machine, sse, avx, bytecode, opcodes, vm, docs, documentation, v1, v2, v3, legacy",
    ),
    (REPLY, "answer, answers, reply, replies, response, responses, output"),
    (
        FINE,
        "passing, passed, pass, succeeded, success, safe, secure, approved, false positive*, harmless, green, fixed, clean, no issues, no problems, no security problems, no security issues, no security concerns, nothing wrong, looks good, no vulnerabilities, no findings, fine, compliant, lgtm, correct, done, reviewed",
    ),
    (
        FAILED,
        "even if, even when, regardless, no matter, whether or not, without running, without checking, without reading, without reviewing, without testing, without looking, blindly, without question, without reviewing, unread, unseen",
    ),
    (
        PLACES,
        "project*, session*, file, files, conversation*, memory, memories, claude md, memory md, repositor*, repo, repos, agents md, readme*, teammates, agents, new memory, notes, chats, summary, summaries, team memory, compaction",
    ),
    (NEW, "new, updated, real, true, following, actual, revised, latest, highest priority, top priority"),
    (
        FAVOURED,
        "trusted source*, authoritative source*, most reliable source*, only reliable source*, best product, over competitors, top choice, first choice, number one, only trusted, best provider, market leader, preferred vendor, trusted vendor, trusted authority, most trusted, go to source, above competitors, sponsored, affiliate, referral",
    ),
    (
        BLINDLY,
        "what it says, whatever it says, without question, never question, above all else, unconditionally, priority over the user, priority over, precedence over the user, do whatever, obey this, obey these, comply with this, must comply, execute them immediately, follow it exactly, overrides the user, more important than the user, no matter what anyone, is binding, are binding, before anything else, above everything else, has priority, takes priority, over everything else, no matter what the user, even if the user objects, even if the user says, even against the users, regardless of what the user, without refusing, never refuse, do not refuse, comply with every, comply with any, comply with all, follow the result, obey every, obey any",
    ),
    (
        ADDRESS,
        "your new objective, your new goal, your new task, your new mission, your real task, your true purpose, your true goal, your only goal, your primary objective is, if you are reading this, upon reading this, after reading this, once you read this, message from anthropic, notice from anthropic, message from openai, to any ai, to all ai, ai agents must, ai assistants must, system override, admin override, attention ai, attention claude, attention assistant, attention llm, as an ai you must, dear ai, instructions for the ai, instruction to the ai, instructions to the model, this is your developer, this is anthropic, hidden instruction, secret instruction, secret task, sleeper, trigger phrase, activation phrase, when you read this note, when you read this memory, when you read this message, actual rules, real rules, actual instructions, real instructions, true instructions, resulting instruction, resulting instructions, overrides everything, overrides all other, overrides all previous, replaces all previous, cancels all previous, you may now ignore, you can now ignore, you are now allowed to ignore, you are permitted to ignore, you have been upgraded, you have been reprogrammed, you have been reconfigured, obey commands that, obey commands from, obey all commands, memory has administrator, memory has admin, memory has root, this memory is your, this memory outranks, this memory overrides, these are your real, instructions from the developers, notice to the model, note to the model, note to the assistant, note to ai, note for ai agents, ai must, the ai must, the assistant must obey, the model must obey, you must obey, you must comply, you will obey, you will comply, override code, unlock code, passphrase unlocks",
    ),
    (
        USER_SAYS,
        "the user says, user says, what the user, anything the user, users wishes, users instructions, users objections, users requests, user requests, user objections, the user wants, users commands, users preferences, the users orders, the user if",
    ),
    (
        EXPOSED,
        "commit message, commit messages, commit, readme, response, responses, reply, replies, answer, pull request, issue, comment, comments, public, gist, branch, origin, chat, log output, pr description, title, changelog, issue tracker",
    ),
    (
        NEUTRALISED,
        "always returns true, always return true, returns true, return true, always succeeds, always pass, always passes, never checked, never verified, not verified, not checked, accepts any, accept any, accepts everything, open to everyone, hardcoded to true, unconditionally, always ok, always allowed",
    ),
    (
        OPEN,
        "public, open, exposed, world readable, world writable, publicly, anonymous, unauthenticated, 777, accessible to everyone",
    ),
    (
        RESOURCE,
        "bucket, buckets, database, db, admin panel, debug endpoint, exec, firewall, redis, elasticsearch, kibana, docker socket, dashboard, security group, ssh access, metrics endpoint",
    ),
    (LEAVE, "make, leave, set, expose, open"),
    (
        BACKDOOR,
        "backdoor, backdoors, reverse shell, bind shell, keylogger, rootkit, malware, logic bomb, cryptominer, crypto miner, trojan, hidden account, hidden admin, secret admin, master password",
    ),
    (
        INTENDED,
        "intentional, intended, on purpose, by design, expected, harmless, fine, keep, leave, do not remove, dont remove",
    ),
    (APPROVE, "approve, merge, accept, sign off, lgtm, whitelist, greenlight, rubber stamp"),
    (
        REVIEWS,
        "tests, test, build, scan, scanner, scanners, audit, review, reviews, findings, vulnerability, vulnerabilities, checks, coverage, benchmark, ci, pipeline, lint, code",
    ),
    (JUST, "just, simply, only, anyway"),
    (WHETHER, "whether, if, which, how, once, after, when, until, only after, only when"),
    (
        TOOL,
        "tool, tools, function call, argument, arguments, field, parameter, parameters, tool call, when calling, tool input",
    ),
    (
        ELEVATED,
        "as root, as admin, as administrator, as the system, as system, from the system, as trusted, as if the user, as if it came, as the user, as from the user, as coming from, as verified, as authoritative, as an order, as orders, as a command, as commands, as instructions, as privileged, as pre approved, as if they came",
    ),
    (
        WHATEVER,
        "whatever the user, no matter what the user, regardless of what the user, regardless of the question, whatever the question, for every question, every question, any question, all questions, no matter the question",
    ),
    (
        SLANDERED,
        "malicious, outdated, dangerous, fake, untrusted, compromised, wrong, corrupted, poisoned, obsolete, invalid, false, harmful, unsafe, insecure",
    ),
    (
        BOUNDARY,
        "end of memory, end of memories, end of notes, memory ends here, end of context, end of system, the user now says, the user just said, user just typed, begin system, end of untrusted, end of quoted, end of data, end of quote, actual user message, real user message, start of system",
    ),
    (
        DROP,
        "public gist, pastebin, ngrok, paste site, external server, external site, external address, attacker*, outside server, remote host, collector, public repo*, public bucket, file sharing, transfer sh, webhook site, requestbin",
    ),
    (
        TRY,
        "fetch, visit, load, open, call, ping, request, download, browse, contact, connect, use, route, proxy, go to, query, check, pull, change, point, redirect, trust, allow, follow, resolve, report, answer, treat, import, try, set, clone, prefer, reply, consult, get, transfer, log, cite, copy, upload, compress, write, store, mirror, sync, relay, name, link, refer",
    ),
    (
        ALTHOUGH,
        "even though, although, even when it is not, even if it is not, even if it is false, even if untrue, despite the truth, contrary to",
    ),
    (GIVE, "grant, give, assign, add, make, promote"),
    (
        POWER,
        "admin access, admin rights, admin permissions, root access, owner access, full access, write access to everything, maintainer rights, superuser, administrator access, sudo rights, admin role",
    ),
    (
        UNNOTICED,
        "keep quiet about, nobody notices, no one notices, nobody will notice, without anyone noticing, without being noticed, cover your tracks, hide your tracks, leave no trace, deny it, deny everything, deny having, deny knowing, so nobody sees, goes unnoticed by, without letting anyone notice, without anyone knowing, without the user knowing, without the user noticing, without the users knowledge, without telling anyone, nobody can trace, no one can trace, so nobody notices, behind the users back, leave out that this, leave out that you, leave out that the, omit that this, omit that you, omit any mention of this, keep this from the user, keep this between, should never find out, must never find out, must not find out, must not know about this",
    ),
    (
        SECRET_PATH,
        "browser cookies, saved passwords, browser history, keychain, ssh private key, private ssh key, wallet files, users private keys, browser passwords",
    ),
    (
        THEIR_SECRET,
        "users password*, users secret*, users token*, users credential*, users api key*, users ssh*, users aws*, users private key*, users otp, users pin, users credit card*, users seed phrase*, users login*, their password*, their credential*, their api key*, their secret*, their token*, their private key*, their seed phrase*, their ssh key*, their credit card*, your password*",
    ),
    (
        CONVERSATION,
        "whole conversation, full conversation, entire conversation, complete conversation, whole chat, full chat, entire chat, full transcript, whole transcript, entire transcript, full context, whole context, entire context, users prompt, users full prompt, users last message, users messages, users message, whole prompt, full prompt, everything the user",
    ),
    (
        DEED,
        "that you follow, that it follows, that you obey, that you were told, that you were instructed, that you have instructions, were uploaded, was uploaded, were sent, was sent, were deleted, was deleted, were removed, was removed, were changed, was changed, been uploaded, been sent, been changed, been deleted, you uploaded, you sent, you changed, you deleted, you ran, was skipped, were skipped, was disabled, were disabled",
    ),
    (
        CLAIM,
        "asked you to, asks you to, told you to, wants you to, instructed you to, requires you to, needs you to, expects you to, ordered you to, directs you to",
    ),
    (LIE, "claim, pretend, insist, deny, lie, assert falsely"),
    (
        RESTORE,
        "re add, readd, recreate, restore it, reinsert, write it again, put it back, add it again, restore this, add it back",
    ),
    (
        REENTER,
        "them to enter, them to provide, them to type, them to paste, them to share, them for their, enter their, type their, paste their",
    ),
];
