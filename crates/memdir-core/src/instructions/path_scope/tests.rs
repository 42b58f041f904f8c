use super::*;

fn scope(value: &str) -> Option<PathScope> {
    scope_of(&format!("paths: {value}\n")).scope
}

fn pattern(pattern: &str) -> PathScope {
    scope_of(&format!("paths:\n  - \"{pattern}\"\n  - zzz\n")).scope.unwrap()
}

#[test]
fn patterns_work_like_lines_of_an_ignore_file() {
    // Each pattern with whether it matches `src/a.ts`, `src/deep/b.ts` and `x.ts`, as observed.
    let observed = [
        ("*.ts", [true, true, true]),
        ("/*.ts", [false, false, true]),
        ("src/*.ts", [true, false, false]),
        ("src/**/*.ts", [true, true, false]),
        ("**/*.ts", [true, true, true]),
        ("src", [true, true, false]),
        ("src/", [true, true, false]),
        ("src/**", [true, true, false]),
        ("./src/a.ts", [false, false, false]),
        ("!src/a.ts", [false, false, false]),
        ("s?c/a.ts", [true, false, false]),
        ("[s]rc/a.ts", [true, false, false]),
        ("[src/a.ts", [false, false, false]),
        ("{src,lib}/*.ts", [true, false, false]),
        ("a.ts", [true, false, false]),
        ("deep/*.ts", [false, false, false]),
        ("*", [true, true, true]),
        ("**/src/**", [true, true, false]),
        ("src/**/deep/**", [false, true, false]),
        ("SRC/a.ts", [true, false, false]),
        ("src/*", [true, true, false]),
        ("**/deep", [false, true, false]),
        ("src/{a,z}.ts", [true, false, false]),
        ("src/{a}.ts", [true, false, false]),
        ("src/a.ts/**", [true, false, false]),
        ("#a", [false, false, false]),
        ("src/a.ts ", [true, false, false]),
        ("src/{a..c}.ts", [false, false, false]),
        ("**/{src,lib}/**/*.{ts,js}", [true, true, false]),
        ("..", [false, false, false]),
        ("../c/src/a.ts", [false, false, false]),
        ("src\\\\/a.ts", [false, false, false]),
        ("/p/src/a.ts", [false, false, false]),
    ];
    for (text, expected) in observed {
        let scope = pattern(text);
        let found = ["src/a.ts", "src/deep/b.ts", "x.ts"].map(|path| scope.contains(path));
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn odd_patterns_match_as_observed() {
    for yes in [
        "src/[ab].ts",
        "[a-c].ts",
        "src/a.{ts,tsx}",
        "**",
        "a.*",
        "*.{ts,js}",
        "**/a*",
        "/src",
        "/src/**",
        "src/**/a.ts",
        "src**",
        "src/a\\\\.ts",
        "?.ts",
        "/**/a.ts",
        "src/**/*",
        "**/src",
        "*/a.ts",
        "**a.ts",
        "src/*/**",
        "src/***",
        "{src}/**",
        "src/{ a , b }.ts",
        "{src/a,lib/b}.ts",
        "src/{b,c},src/a.ts",
        "a.ts,b.ts",
        "src/**/**",
        "**/src/**/a.ts",
        "*/",
        "{,a}.ts",
        "src/{a,}.ts",
        "**/",
        "src/a.[jt]s",
        "src/a.[t-v]s",
    ] {
        assert!(pattern(yes).contains("src/a.ts"), "{yes}");
    }
    for no in [
        "[!b].ts",
        "[^b].ts",
        "src/[!b]*",
        "s[!x]c/**",
        "[]a].ts",
        "src/[a.ts]",
        "\\\\!x",
        "src/{a,{b,c}}.ts",
        "{a,b",
        "src/{}.ts",
        "src/a.t[s",
        "src//a.ts",
        "c/src/a.ts",
        "{./src,lib}/**",
        "src/[a-",
        "/",
        "src/a.ts//**",
        "src/?",
        "{x,{y,a}}.ts",
        "{}{a,b}.ts",
        "\\\\*.ts",
        "src/a.ts/",
        "src/*/",
        "src/(a|b).ts",
        "a.ts$",
        "^a.ts",
    ] {
        assert!(!pattern(no).contains("src/a.ts"), "{no}");
    }
}

#[test]
fn a_later_negation_takes_back_but_not_from_a_whole_directory() {
    let check = |patterns: &str, expected: bool| {
        assert_eq!(scope(patterns).unwrap().contains("src/a.ts"), expected, "{patterns}");
    };
    check("['src/**', '!src/a.ts']", true);
    check("['*.ts', '!a.ts']", false);
    check("['*.ts', '!src/a.ts']", false);
    check("['!a.ts', '*.ts']", true);
}

#[test]
fn some_values_say_nothing() {
    for always in [
        "[]",
        "''",
        "'**'",
        "['**','**']",
        "5",
        "true",
        "null",
        "{a: b}",
        "[1, 2]",
        "'/**'",
        "'**/**'",
        "['']",
        "[null]",
        "' '",
        "[' ** ']",
        "{a.ts}",
        "'a.ts",
    ] {
        assert_eq!(scope(always), None, "{always}");
    }
    for conditional in ["'a.ts, b.ts'", "'*'", "[unclosed", "'**/*'", "@foo", "a.ts: x", "[a.ts"] {
        assert!(scope(conditional).is_some(), "{conditional}");
    }
    for matching in [
        "'a.ts, b.ts'",
        "'{a,b}.ts, c.ts'",
        "['**','a.ts']",
        "[[a.ts]]",
        "*.ts",
        "**/*.ts",
        "src/**, lib/**",
        "a.ts # c",
        "\n  - a.ts\n  - \"b.ts\"",
        "\n- a.ts",
    ] {
        assert!(scope(matching).is_some_and(|scope| scope.contains("src/a.ts")), "{matching}");
    }
}

#[test]
fn only_the_key_paths_counts() {
    let check =
        |yaml: &str, conditional: bool| assert_eq!(scope_of(yaml).scope.is_some(), conditional, "{yaml}");
    check("globs: '*.ts'\n", false);
    check("Paths: '*.ts'\n", false);
    check("description: about paths\n", false);
    check("description: {x\npaths: '*.ts'\n", true);
    check("  paths: '*.ts'\n", true);
    check("a: 1\r\npaths: x\r\n", true);
    check("", false);
}

#[test]
fn hostile_frontmatter_ends() {
    let many = format!("paths: \"{{{}}}\"\n", vec!["x"; 10_000].join(","));
    let scoped = scope_of(&many);
    assert!(scoped.scope.is_some() && scoped.problem.is_some());
    let laughs: String = (0..40)
        .map(|level| match level {
            0 => "a0: &a0 [x, x]\n".to_owned(),
            _ => format!("a{level}: &a{level} [*a{0}, *a{0}]\n", level - 1),
        })
        .collect();
    let scoped = scope_of(&format!("{laughs}paths: *a39\n"));
    assert!(scoped.scope.is_none_or(|scope| scope.patterns.len() < 100_000));
    let deep = format!("paths: {}\n", "[".repeat(50_000));
    assert!(scope_of(&deep).scope.is_some());
    let deep = format!("paths: {}{}\n", "[".repeat(50_000), "]".repeat(50_000));
    scope_of(&deep);
}
