//! Statements that put many rows at once.

use std::fmt::Write as _;

use crate::storage::Step;

/// The statement of a step for so many of its runs together; `None` where there are fewer, or it puts no rows.
pub(super) fn many_rows(step: &Step, rows: usize) -> Option<String> {
    let columns = step.runs.first()?.len();
    if step.runs.len() < rows || step.changes.is_some() || !step.sql.starts_with("INSERT ") {
        return None;
    }
    let one = row(1, columns);
    let (before, after) = step.sql.split_once(&format!("VALUES {one}"))?;
    let all: Vec<String> = (0..rows).map(|number| row(number * columns + 1, columns)).collect();
    Some(format!("{before}VALUES {}{after}", all.join(", ")))
}

/// `($4, $5, $6)`
fn row(first: usize, columns: usize) -> String {
    let mut text = String::from("(");
    for number in first..first + columns {
        let separator = if number == first { "" } else { ", " };
        // Writing to a text does not fail.
        let _ = write!(text, "{separator}${number}");
    }
    text.push(')');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::Value;

    #[test]
    fn rows_go_together() {
        let check = |sql: &'static str, runs: usize, expected: Option<&str>| {
            let step = Step::many(sql, vec![vec![Value::Null, Value::Null]; runs]);
            assert_eq!(many_rows(&step, 3).as_deref(), expected, "{sql}");
        };
        let insert = "INSERT INTO t (a, b) VALUES ($1, $2) ON CONFLICT (a) DO NOTHING";
        let wide = "INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4), ($5, $6) ON CONFLICT (a) DO NOTHING";
        check(insert, 2, None);
        check(insert, 3, Some(wide));
        check(insert, 4, Some(wide));
        check("INSERT INTO t (a, b) VALUES ($2, $1)", 3, None);
        check("UPDATE t SET a = $1 WHERE b = $2", 3, None);
        check("INSERT INTO t (a, b) VALUES ($1, $2)", 0, None);
    }
}
