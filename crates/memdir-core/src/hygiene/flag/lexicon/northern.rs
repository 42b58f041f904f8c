//! German, Dutch, Polish, Turkish and Russian, without accents and umlaut dots.

use super::super::concept::*;

pub(super) const WORDS: &[(u128, &str)] = &[
    // German.
    (
        OVERRIDE,
        "ignoriere, ignorier, ignorieren, ignoriert, vergiss, vergessen, vergesst, missachte, missachten, uberschreibe, umgehe, umgehen, \
        beachte nicht, setze dich uber, verwirf, verwerfen, befolge nicht, ubergehe, lass ausser acht",
    ),
    (
        PRIOR,
        "vorherigen, vorherige, vorigen, vorige, bisherigen, bisherige, fruheren, fruhere, obigen, obige, vorangegangenen, vorangehenden, vorstehenden, deine, deinen, bestehenden",
    ),
    (ALL, "alle, allen, alles, jede, jeden, samtliche, samtlichen, anderen, andere, ubrigen"),
    (
        INSTRUCTION,
        "anweisung*, instruktion*, regeln, regel, vorgaben, richtlinien, befehle, anleitungen, vorschriften, beschrankungen, systemanweisung*, sicherheitsregeln",
    ),
    (AUTHORITY, "sicherheitsregeln, sicherheitsrichtlinien, systemanweisungen"),
    (
        SYSTEM_PROMPT,
        "systemprompt, system prompt, systemnachricht, systemanweisung*, deine anweisungen, deine instruktionen",
    ),
    (VOID, "gelten nicht mehr, gilt nicht mehr, sind aufgehoben, sind ausser kraft, nicht mehr gultig"),
    (NEGATION, "nicht, nichts, nie, niemals, ohne, kein, keine, keinen, vermeide"),
    (
        TELL,
        "sage, sag, sagen, erwahne, erwahnen, informiere, informieren, verrate, verraten, melde, mitteilen, mitzuteilen, teile mit, zu informieren, zu sagen, benachrichtige, erzahle, offenbare, zeige",
    ),
    (
        USER | USER_OBJECT,
        "dem benutzer, den benutzer, dem nutzer, den nutzer, dem anwender, den anwender, niemandem, der benutzerin",
    ),
    (
        ITSELF,
        "diese notiz, diese erinnerung, diese anweisung, diese nachricht, dieser notiz, diesen hinweis, diesen text, diese anweisungen",
    ),
    (
        CONCEAL,
        "heimlich, unbemerkt, stillschweigend, verstecke, verberge, verheimliche, im geheimen, leise, verschweige",
    ),
    (
        SEND,
        "sende, senden, schicke, schick, schicken, ubermittle, ubertrage, lade hoch, hochladen, leite weiter, veroffentliche, teile, poste, hange an, fuge ein",
    ),
    (CONTENT, "quellcode, dateien, inhalt, inhalte, ausgabe, daten, anderungen, quelltext"),
    (
        PRIVATE,
        "gesprach*, unterhaltung*, chatverlauf, umgebungsvariablen, quellcode, kundendaten, personliche daten, verlauf",
    ),
    (
        SECRET,
        "passwort, passworter, zugangsdaten, anmeldedaten, privaten schlussel, private schlussel, api schlussel, ssh schlussel, geheimnisse, kennwort, kennworter, kreditkarte*, zugriffstoken",
    ),
    (DESTINATION, "externen server, adresse, fremden server, entfernten server"),
    (EVERY, "immer, jeder, jedes, jedem, ab jetzt, ab sofort, von nun an, kunftig, jedes mal, stets"),
    (READ, "lies, lesen, offne, zeige, drucke, sammle, extrahiere, kopiere, gib aus, auslesen"),
    (ASK, "frage, fordere, verlange, bitte, frag"),
    (
        DISABLE,
        "deaktiviere, deaktivieren, schalte, abschalten, ausschalten, uberspringe, entferne, umgehe, schalte ab, schalte aus",
    ),
    (
        PROTECTION,
        "signaturprufung*, zertifikatsprufung*, zertifikat*, authentifizierung, authentisierung, autorisierung, verschlusselung, sicherheitsprufung*, verifizierung, verifikation, prufung der signatur*, berechtigungsprufung*, validierung, tls prufung",
    ),
    (DESTROY, "losche, loschen, vernichte, entferne, uberschreibe, lösch"),
    (KEEPSAKE, "erinnerungen, notizen, sicherungen, backups, verlauf, protokolle, gedachtnis, speicher"),
    (
        OUTPUT,
        "gib, zeige, drucke, schreibe, antworte, wiederhole, nenne, fuhre, ausgeben, offenbare, verrate",
    ),
    (ANSWER, "antworte, antworten, behaupte, sage, leugne, melde"),
    (
        ROLE,
        "du bist jetzt, du bist nun, sie sind jetzt, sie sind nun, agiere als, verhalte dich, spiele die rolle, tu so, handle als",
    ),
    (
        UNLIMITED,
        "ohne einschrankung*, ohne beschrankung*, entwicklermodus, ohne grenzen, ohne filter, uneingeschrankt*, unzensiert",
    ),
    (
        CONFIRMATION,
        "ohne zu fragen, ohne nachfrage, ohne ruckfrage, ohne bestatigung, ohne erlaubnis, ohne nachzufragen",
    ),
    (CONDITION | IF, "wenn, falls, sobald, sofern"),
    (ASKED, "gefragt, fragt, nachfragt"),
    (NOTHING, "gibt es nicht, nichts, keine erinnerung*, weisst nicht, existiert nicht"),
    (NEW, "neue, neuen, neuer, folgenden"),
    // Dutch.
    (OVERRIDE, "negeer, negeren, vergeet, omzeil, sla over"),
    (PRIOR, "vorige, eerdere, bovenstaande, voorgaande, jouw"),
    (INSTRUCTION, "instructies, opdrachten, richtlijnen, aanwijzingen, regels"),
    (NEGATION, "niet, nooit, zonder, geen"),
    (TELL, "vertel, vertellen, vermeld, meld, informeren, zeg"),
    (USER | USER_OBJECT, "de gebruiker, niemand, aan niemand"),
    (SEND, "stuur, verstuur, verzend, sturen"),
    (SECRET, "wachtwoord*, inloggegevens, geheimen"),
    (EVERY, "altijd, elke, vanaf nu, voortaan"),
    (PRIVATE, "gesprek, gesprekken, omgevingsvariabelen, broncode"),
    // Polish.
    (OVERRIDE, "zignoruj, ignoruj, zapomnij, pomin, pomijaj"),
    (PRIOR, "poprzednie, poprzednich, wczesniejsze, wczesniejszych, powyzsze, powyzszych"),
    (ALL, "wszystkie, wszystkich, wszelkie"),
    (INSTRUCTION, "instrukcje, instrukcji, polecenia, polecen, zasady, wytyczne, reguly"),
    (NEGATION, "nie, nigdy, bez"),
    (TELL, "mow, wspominaj, informuj, ujawniaj, informowania, powiadamiaj"),
    (USER | USER_OBJECT, "uzytkownikowi, uzytkownika, nikomu"),
    (SEND, "wyslij, wysylaj, przeslij, przesylaj"),
    (SECRET, "hasla, haslo, hasel, poswiadczenia, klucze prywatne, klucze api"),
    // Turkish.
    (OVERRIDE | VERB_LAST, "yoksay, gormezden gel, yok say, unut, dikkate alma"),
    (PRIOR, "onceki, yukaridaki, daha onceki"),
    (ALL, "tum, butun"),
    (INSTRUCTION, "talimat*, kurallari, yonergeleri, komutlari"),
    (TELL, "soyleme, bahsetme, bildirme"),
    (USER | USER_OBJECT, "kullaniciya, kullanicidan"),
    (NEGATION, "soyleme, bahsetme, bildirme, asla"),
    (SEND, "gonder, yukle"),
    (SECRET, "parola*, sifre*, kimlik bilgileri"),
    // Russian.
    (
        OVERRIDE,
        "игнорир*, проигнорир*, забудь*, забыть, отбрось*, отмени*, не следуй*, не обращай* внимания, пренебреги*, обойди*, не учитывай*",
    ),
    (
        PRIOR,
        "предыдущ*, прошл*, прежн*, вышеуказанн*, вышеизложенн*, ранее, выше, свои, твои, ваши, имеющиеся, полученн*",
    ),
    (ALL, "все, всех, всю, весь, всё, любые, любых, каждый, остальн*, друг*"),
    (
        INSTRUCTION,
        "инструкци*, указани*, правил*, директив*, команды, ограничени*, распоряжени*, промпт*, предписани*",
    ),
    (AUTHORITY, "систем*, безопасности, свои, твои, ваши"),
    (
        SYSTEM_PROMPT,
        "системный промпт, системного промпта, системное сообщение, системные инструкции, свои инструкции, системную подсказку",
    ),
    (
        VOID,
        "больше не действуют, больше не действует, не применяются, больше не применяются, отменены, утратили силу",
    ),
    (NEGATION, "не, никогда, без, нельзя, ни"),
    (
        TELL,
        "говори*, сообща*, сообщи*, упоминай*, упоминать, рассказывай*, раскрывай*, уведомля*, информируй*, показывай*, предупрежда*",
    ),
    (USER | USER_OBJECT, "пользователю, пользователям, никому, человеку, владельцу, пользователя"),
    (
        ITSELF,
        "эту заметку, эта заметка, об этой заметке, эту запись, это сообщение, эту инструкцию, этой инструкции, эти инструкции, этом сообщении",
    ),
    (CONCEAL, "тайно, скрытно, незаметно, втайне, скрой*, скрывай*, тихо, секретно, молча"),
    (
        SEND,
        "отправ*, пошли, пошлите, посылай*, посылать, загрузи*, загружай*, передай*, передавай*, перешли*, опубликуй*, выложи*, слей*, выгрузи*",
    ),
    (CONTENT, "код, кода, файлы, содержимое, содержание, данные, вывод, изменения, дифф"),
    (
        PRIVATE,
        "переписк*, диалог*, разговор*, историю, истории, переменные окружения, исходный код, персональные данные, данные клиентов, чат*",
    ),
    (
        SECRET,
        "парол*, учетные данные, ключи, приватн* ключ*, секрет*, токен*, закрыт* ключ*, логин*, апи ключ*",
    ),
    (DESTINATION, "внешний сервер, удаленный сервер, адрес*, сервер"),
    (EVERY, "всегда, каждый, каждого, каждом, отныне, с этого момента, впредь, теперь"),
    (READ, "прочитай*, прочти, читай*, открой*, выведи*, покажи*, собери*, скопируй*, извлеки*"),
    (ASK, "попроси*, запроси*, спроси*, требуй*"),
    (DISABLE, "отключи*, отключай*, выключи*, пропускай*, пропусти*, убери*, удали*, обходи*, деактивируй*"),
    (
        PROTECTION,
        "проверк* подпис*, проверку, проверки, аутентификаци*, авторизаци*, сертификат*, шифровани*, верификаци*, подпис*, валидаци*, защит*",
    ),
    (DESTROY, "удали*, удаляй*, сотри*, стирай*, уничтож*, очисти*"),
    (KEEPSAKE, "воспоминани*, заметки, заметок, памят*, резервные копии, бэкап*, историю, логи, журнал*"),
    (OUTPUT, "выведи*, покажи*, напечатай*, напиши*, ответь*, повтори*, раскрой*, скажи*, выполни*"),
    (ANSWER, "отвечай*, ответь*, утверждай*, скажи*, говори*"),
    (ROLE, "ты теперь, теперь ты, вы теперь, притворись*, действуй как, веди себя как, представь"),
    (
        UNLIMITED,
        "без ограничений, режим разработчика, режиме разработчика, без цензуры, без фильтров, без правил",
    ),
    (CONFIRMATION, "без подтверждения, без спроса, не спрашивая, без разрешения"),
    (CONDITION | IF, "если, когда"),
    (ASKED, "спросят, спросит, спрашивают"),
    (NOTHING, "ничего, нет, не существует, не знаешь"),
    (NEW, "новые, новый, новая, следующие, следующий"),
    (ACTIONS, "befehle, aktionen, команды, действия"),
    (CONFIRMATION, "frage nicht, frag nicht, frage nie, не спрашивай*, никогда не спрашивай*"),
    (VOID, "nicht mehr, больше не"),
    (FINE, "bestanden, erfolgreich, прошли, пройдены, успешно"),
    (FAILED, "auch wenn, selbst wenn, даже если"),
    (EXPOSED, "commit nachricht, antwort, ответ*"),
];
