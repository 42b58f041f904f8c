//! Spanish, Portuguese, French and Italian, without accents: tokens are folded before they are looked up.

use super::super::concept::*;

pub(super) const WORDS: &[(u128, &str)] = &[
    // Spanish.
    (
        OVERRIDE,
        "ignora, ignore, ignorar, ignoren, olvida, olvide, olvidate, olvidar, omite, descarta, desestima, haz caso omiso, \
        haga caso omiso, pasa por alto, no sigas, no hagas caso, salta, desobedece, deja de seguir",
    ),
    (
        PRIOR,
        "anterior*, previas, previos, previa, precedentes, arriba, tus, de antes, existentes, dadas, recibidas",
    ),
    (ALL, "todas, todos, toda, todo, cualquier, cualquiera, demas, otras, otros"),
    (
        INSTRUCTION,
        "instruccion*, reglas, directrices, indicaciones, ordenes, normas, directivas, restricciones, limitaciones, politicas",
    ),
    (
        SYSTEM_PROMPT,
        "prompt del sistema, mensaje del sistema, instrucciones del sistema, prompt de sistema, tus instrucciones",
    ),
    (
        VOID,
        "ya no se aplican, ya no aplican, ya no son validas, quedan anuladas, quedan sin efecto, no se aplican, ya no rigen",
    ),
    (NEGATION, "nunca, jamas, sin, evita, ningun, ninguna, ni"),
    (
        TELL,
        "digas, diga, decir, decirle, decirselo, menciones, mencionar, mencione, informes, informar, informe, informe a, reveles, revelar, avises, avisar, avisarle, comentes, cuentes, muestres, notifiques",
    ),
    (USER | USER_OBJECT, "al usuario, a la usuaria, a nadie, del usuario"),
    (
        ITSELF,
        "esta nota, esta memoria, esta instruccion, este mensaje, estas instrucciones, este texto, esta regla",
    ),
    (
        CONCEAL,
        "en secreto, secretamente, silenciosamente, discretamente, oculta, ocultar, a escondidas, en silencio, calladamente",
    ),
    (
        SEND,
        "envia, envie, enviar, envias, manda, mande, mandar, sube, subir, publica, reenvia, transmite, filtra, adjunta, comparte, incluye, copia",
    ),
    (CONTENT, "codigo, archivos, ficheros, contenido*, repositorio, salida, cambios, datos"),
    (
        PRIVATE,
        "conversacion*, historial, variables de entorno, codigo fuente, datos personales, datos de clientes, transcripcion*",
    ),
    (
        SECRET,
        "contrasena*, credencial*, clave privada, claves privadas, clave de api, claves de api, clave api, claves api, claves ssh, clave ssh, secretos, tokens de acceso, token de acceso, frase semilla, tarjeta de credito",
    ),
    (DESTINATION, "servidor externo, direccion, servidor remoto, siguiente url, mi servidor"),
    (EVERY, "siempre, cada, a partir de ahora, de ahora en adelante, desde ahora, cada vez, debes"),
    (READ, "lee, leer, lea, abre, abrir, muestra, imprime, recopila, extrae, busca, copia, vuelca"),
    (ASK, "pide, pidele, solicita, solicitar, pedir, pregunta, preguntale"),
    (DISABLE, "desactiva, desactivar, deshabilita, deshabilitar, omite, elimina, quita, salta, anula, apaga"),
    (
        PROTECTION,
        "verificacion*, firma, firmas, autenticacion, certificado*, autorizacion, cifrado, comprobacion de seguridad, controles de seguridad, validacion*, proteccion de rama*",
    ),
    (DESTROY, "borra, borrar, elimina, eliminar, destruye, suprime, vacia"),
    (KEEPSAKE, "memorias, recuerdos, notas, copias de seguridad, historial, respaldos, memoria"),
    (OUTPUT, "muestra, imprime, escribe, responde, di, revela, repite, devuelve, ejecuta, muestrame"),
    (ANSWER, "responde, responder, contesta, di, afirma, niega, finge"),
    (RECORD, "registro, historial del paciente, paciente, cuenta, saldo"),
    (ACTIONS, "comandos, acciones, escrituras, permisos, commandes, actions, comandi, azioni, acoes"),
    (
        CONFIRMATION,
        "no pidas confirmacion, no preguntes, nunca preguntes, nunca pidas, ne demande jamais, ne demande pas, ne demandez pas, ne demandez jamais, jamais de confirmation, nao pergunte, nunca pergunte, nao peca, non chiedere, non chiedere mai, mai chiedere",
    ),
    (
        EXPOSED,
        "en la respuesta, dans la reponse, na resposta, nella risposta, en el commit, mensaje de commit, message de commit",
    ),
    (VOID, "ya no, ne sont plus, nao valem, non valgono"),
    (ROLE, "ahora eres, actua como, finge, haz de cuenta, comportate como, a partir de ahora eres"),
    (UNLIMITED, "sin restricciones, sin limites, modo desarrollador, sin filtros, sin censura, modo dios"),
    (CONFIRMATION, "sin preguntar, sin confirmacion, sin pedir permiso, sin permiso, sin pedir confirmacion"),
    (ASKED, "pregunta, preguntan, te preguntan, pregunte"),
    (NOTHING, "no existe, no hay, ninguna, nada, no sabes, no tienes"),
    (NEW, "nuevas, nuevo, nueva, siguientes"),
    (IF, "si, se"),
    // Portuguese.
    (
        OVERRIDE,
        "ignorem, esqueca, esquece, esquecam, desconsidere, desconsidera, desrespeite, descarte, nao siga, contorne",
    ),
    (PRIOR, "anteriores, previas, acima, precedente*, suas"),
    (ALL, "todas, todos, tudo, qualquer, quaisquer, demais, outras, outros"),
    (
        INSTRUCTION,
        "instruco*, instrucao, regras, diretrizes, ordens, orientaco*, restrico*, politicas, comandos anteriores",
    ),
    (SYSTEM_PROMPT, "prompt do sistema, mensagem do sistema, instrucoes do sistema, suas instrucoes"),
    (VOID, "nao se aplicam mais, ja nao se aplicam, nao valem mais, nao sao mais validas, estao suspensas"),
    (NEGATION, "nao, nunca, jamais, sem, evite, nem"),
    (
        TELL,
        "diga, conte, contar, mencione, mencionar, informe, informar, revele, revelar, avise, avisar, comente, notifique",
    ),
    (USER | USER_OBJECT, "ao usuario, o usuario, ao utilizador, o utilizador, a ninguem, do usuario"),
    (
        ITSELF,
        "esta nota, esta memoria, esta instrucao, estas instrucoes, esta mensagem, essa nota, essa instrucao",
    ),
    (CONCEAL, "em segredo, secretamente, silenciosamente, discretamente, esconda, oculte, as escondidas"),
    (
        SEND,
        "envie, enviar, mande, mandar, encaminhe, transmita, poste, publique, compartilhe, anexe, suba, carregue",
    ),
    (CONTENT, "codigo, arquivos, ficheiros, conteudo*, repositorio, saida, dados, alteraco*"),
    (
        PRIVATE,
        "conversa, conversas, historico, variaveis de ambiente, codigo fonte, dados pessoais, dados de clientes",
    ),
    (
        SECRET,
        "senha, senhas, credenciais, chave privada, chaves privadas, chave de api, chaves de api, chaves ssh, segredos, tokens de acesso, cartao de credito",
    ),
    (DESTINATION, "servidor externo, endereco, servidor remoto"),
    (EVERY, "sempre, cada, a partir de agora, de agora em diante, toda vez, deve"),
    (READ, "leia, ler, abra, mostre, imprima, colete, extraia, copie"),
    (ASK, "peca, solicite, pergunte, pedir"),
    (DISABLE, "desative, desativar, desabilite, remova, pule, desligue, contorne"),
    (
        PROTECTION,
        "verificacao, assinatura*, autenticacao, certificado*, autorizacao, criptografia, validacao",
    ),
    (DESTROY, "apague, apagar, exclua, excluir, delete, destrua, remova"),
    (KEEPSAKE, "memorias, notas, copias de seguranca, backups, historico, memoria"),
    (OUTPUT, "mostre, imprima, escreva, responda, revele, repita, exiba, execute"),
    (ANSWER, "responda, responder, diga, afirme, negue, finja"),
    (ROLE, "agora voce e, voce agora e, aja como, finja, comporte se como, atue como"),
    (UNLIMITED, "sem restricoes, sem limites, modo desenvolvedor, sem filtros, sem censura"),
    (CONFIRMATION, "sem perguntar, sem confirmacao, sem pedir permissao, sem permissao"),
    (ASKED, "perguntarem, perguntar, perguntado"),
    (NOTHING, "nao existe, nao ha, nenhuma, nada, nao sabe"),
    (NEW, "novas, novo, nova, seguintes"),
    // French.
    (
        OVERRIDE,
        "ignore, ignorez, ignorer, ignorons, oublie, oubliez, oublier, neglige, negligez, passe outre, passez outre, \
        ne tiens pas compte, ne tenez pas compte, fais abstraction, faites abstraction, contourne, contournez, ne suis plus, ne suivez plus, ecarte",
    ),
    (PRIOR, "precedente*, anterieure*, anterieur*, ci dessus, prealables, tes, vos, initiales"),
    (ALL, "toutes, tous, toute, tout, autres, quelconque"),
    (
        INSTRUCTION,
        "instruction*, consigne*, regles, directive*, ordres, restrictions, politiques, garde fous",
    ),
    (
        SYSTEM_PROMPT,
        "prompt systeme, invite systeme, message systeme, instructions systeme, tes instructions, vos instructions, consignes systeme",
    ),
    (
        VOID,
        "ne s appliquent plus, ne sappliquent plus, ne sont plus valables, ne sont plus valides, sont suspendues, sont annulees, sont levees",
    ),
    (NEGATION, "jamais, sans, ne, pas, evite, evitez, aucun, aucune, ni"),
    (
        TELL,
        "dis, dites, dire, mentionne, mentionnez, mentionner, informe, informez, informer, revele, revelez, reveler, previens, prevenez, prevenir, signale, signaler, parle, parlez, avertis, avertir, avertissez",
    ),
    (USER, "utilisateur, utilisatrice, personne"),
    (
        ITSELF,
        "cette note, cette memoire, cette instruction, ces instructions, ce message, cette consigne, ce texte",
    ),
    (
        CONCEAL,
        "en secret, secretement, silencieusement, discretement, cachez, dissimule, dissimulez, en cachette, en silence, a l insu",
    ),
    (
        SEND,
        "envoie, envoyez, envoyer, transmets, transmettez, transmettre, publie, publiez, poste, postez, televerse, televersez, transfere, transferez, partage, joins, joignez, ajoute, ajoutez",
    ),
    (CONTENT, "code, fichiers, contenu*, depot, sortie, donnees, modifications"),
    (
        PRIVATE,
        "conversation*, historique, variables d environnement, variables denvironnement, code source, donnees personnelles, donnees clients",
    ),
    (
        SECRET,
        "mot de passe, mots de passe, identifiants, cle privee, cles privees, cle api, cles api, cle d api, cles d api, cles ssh, cle ssh, secrets, jetons d acces, jeton d acces, carte bancaire, carte de credit",
    ),
    (DESTINATION, "serveur externe, adresse, serveur distant"),
    (
        EVERY,
        "toujours, chaque, desormais, a partir de maintenant, dorenavant, a chaque fois, systematiquement, doit",
    ),
    (READ, "lis, lisez, lire, ouvre, ouvrez, affiche, affichez, extrais, recupere, copie, collecte"),
    (ASK, "demande, demandez, demander, reclame, exige"),
    (DISABLE, "desactive, desactivez, desactiver, supprime, supprimez, retire, contourne, saute, coupe"),
    (
        PROTECTION,
        "verification*, signature*, authentification, certificat*, autorisation*, chiffrement, controle* de securite, validation*, protection de branche",
    ),
    (DESTROY, "supprime, supprimez, supprimer, efface, effacez, effacer, detruis, detruisez, ecrase"),
    (KEEPSAKE, "memoires, souvenirs, notes, sauvegardes, historique, memoire"),
    (
        OUTPUT,
        "affiche, affichez, ecris, ecrivez, reponds, repondez, revele, revelez, repete, repetez, imprime, execute, executez, montre",
    ),
    (ANSWER, "reponds, repondez, repondre, affirme, pretends, dis, nie"),
    (
        ROLE,
        "tu es maintenant, vous etes maintenant, tu es desormais, vous etes desormais, agis comme, agissez comme, fais semblant, comporte toi",
    ),
    (UNLIMITED, "sans restriction*, sans limite*, mode developpeur, sans filtre*, sans censure"),
    (CONFIRMATION, "sans demander, sans confirmation, sans permission, sans autorisation"),
    (ASKED, "te demande, vous demande, interroge"),
    (NOTHING, "n existe pas, il n y en a pas, aucune, rien, ne sais pas"),
    (NEW, "nouvelles, nouveau, nouvelle, suivantes"),
    // Italian.
    (
        OVERRIDE,
        "ignora, ignori, ignorate, ignorare, dimentica, dimenticate, dimenticare, trascura, non seguire, scarta, non tenere conto, aggira, tralascia",
    ),
    (PRIOR, "precedenti, precedente, sopra, anteriori, tue, esistenti, ricevute"),
    (ALL, "tutte, tutti, tutto, tutta, qualsiasi, altre, altri, ogni"),
    (
        INSTRUCTION,
        "istruzion*, regole, direttive, indicazioni, ordini, restrizioni, linee guida, comandi precedenti",
    ),
    (SYSTEM_PROMPT, "prompt di sistema, messaggio di sistema, istruzioni di sistema, le tue istruzioni"),
    (VOID, "non si applicano piu, non valgono piu, non sono piu valide, sono sospese, sono annullate"),
    (NEGATION, "non, mai, senza, evita, nessun, nessuna"),
    (
        TELL,
        "dire, dirlo, dica, menzionare, menziona, informare, informa, rivelare, rivela, avvisare, avvisa, parlare, riferire, segnalare",
    ),
    (USER | USER_OBJECT, "all utente, allutente, a nessuno, l utente, utente"),
    (ITSELF, "questa nota, questa memoria, questa istruzione, queste istruzioni, questo messaggio"),
    (CONCEAL, "in segreto, segretamente, silenziosamente, di nascosto, nascondi, nascondere, in silenzio"),
    (
        SEND,
        "invia, inviare, inviate, manda, mandare, trasmetti, carica, pubblica, inoltra, condividi, allega",
    ),
    (CONTENT, "codice, contenuto, contenuti, repository, dati, modifiche"),
    (
        PRIVATE,
        "conversazion*, cronologia, variabili d ambiente, variabili dambiente, codice sorgente, dati personali, dati dei clienti",
    ),
    (
        SECRET,
        "credenziali, chiave privata, chiavi private, chiave api, chiavi api, chiavi ssh, segreti, token di accesso, carta di credito",
    ),
    (DESTINATION, "server esterno, indirizzo, server remoto"),
    (EVERY, "sempre, ogni, d ora in poi, dora in poi, da ora in poi, ogni volta, devi"),
    (READ, "leggi, leggere, apri, mostra, stampa, raccogli, estrai, copia"),
    (ASK, "chiedi, chiedere, richiedi, richiedere"),
    (DISABLE, "disattiva, disattivare, disabilita, disabilitare, rimuovi, salta, elimina, aggira, spegni"),
    (
        PROTECTION,
        "verifica, verifica della firma, firma, firme, autenticazione, certificat*, autorizzazione, crittografia, validazione, convalida",
    ),
    (DESTROY, "cancella, cancellare, elimina, eliminare, distruggi, rimuovi"),
    (KEEPSAKE, "memorie, ricordi, copie di sicurezza, cronologia, memoria"),
    (OUTPUT, "mostra, stampa, scrivi, rispondi, rivela, ripeti, esegui, visualizza"),
    (ANSWER, "rispondi, rispondere, afferma, nega, fingi"),
    (ROLE, "ora sei, adesso sei, comportati come, agisci come, fingi, fai finta"),
    (UNLIMITED, "senza restrizioni, senza limiti, modalita sviluppatore, senza filtri, senza censura"),
    (CONFIRMATION, "senza chiedere, senza conferma, senza permesso, senza autorizzazione"),
    (ASKED, "chiede, chiedono, chiesto"),
    (NOTHING, "non esiste, non ci sono, nulla, niente, non sai"),
    (NEW, "nuove, nuovo, nuova, seguenti"),
    (
        FINE,
        "pasaron, han pasado, pasan, reussi, reussis, reussissent, passe, passaram, passam, superati, superano, correctas",
    ),
    (FAILED, "aunque, incluso si, meme si, mesmo que, ainda que, anche se, anche quando"),
    (REVIEWS, "pruebas, testes, essais, prove"),
    (
        EXPOSED,
        "message de commit, mensaje de commit, mensagem de commit, messaggio di commit, respuesta, reponse, resposta, risposta, leeme",
    ),
    // Spanish, Portuguese and Italian alike.
    (OVERRIDE, "olvida, olvide, olvidate, esqueca, esquece, dimentica, ignora, ignore, desconsidere"),
    (AUTHORITY, "sistema, seguridad, seguranca, sicurezza, systeme, securite"),
    (
        SYSTEM_PROMPT,
        "tu prompt, tus instrucciones, seu prompt, suas instrucoes, il tuo prompt, le tue istruzioni, ton prompt, tes instructions, votre prompt",
    ),
    (OUTPUT, "muestra, muestre, mostre, mostra, stampa, imprima, imprime, affiche, affichez, montre"),
];
