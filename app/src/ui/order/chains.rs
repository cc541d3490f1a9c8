//! Selectors as they are typed: one chain a line, its parts joined by ` >> `. Lines without anything in them
//! count for nothing but the numbers of those after them.

use crate::model::{flow::Chain, problem::FieldError};

/// What joins the parts of a chain: each is looked for inside what the one before it found.
const JOINT: &str = ">>";
/// The prefixes that name a kind of selector; without one it is CSS.
const PREFIXES: [&str; 4] = ["aria/", "text/", "xpath/", "pierce/"];

/// The lines that have a chain, with their numbers from 1.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty())
}

/// The line, counted from 1, of the chain at an index, counted from 0.
#[must_use]
pub fn line_of(text: &str, index: usize) -> Option<usize> {
    lines(text).nth(index).map(|(number, _)| number)
}

/// The chains of a text.
///
/// # Errors
/// Each at `{pointer}/{index}`, the index counted over the chains from 0; at `pointer` where there is none.
pub fn read(text: &str, pointer: &str) -> Result<Vec<Chain>, Vec<FieldError>> {
    let mut errors = Vec::new();
    let mut chains = Vec::new();
    for (index, (_, line)) in lines(text).enumerate() {
        match chain(line) {
            Ok(chain) => chains.push(chain),
            Err(why) => errors.push(FieldError::new(format!("{pointer}/{index}"), why)),
        }
    }
    if chains.is_empty() && errors.is_empty() {
        errors.push(FieldError::new(pointer, "has no selector yet: one chain a line"));
    }
    if errors.is_empty() { Ok(chains) } else { Err(errors) }
}

fn chain(line: &str) -> Result<Chain, &'static str> {
    let parts: Chain = split(line);
    if parts.iter().any(String::is_empty) {
        return Err("has nothing before or after one of its >>");
    }
    let empty =
        |part: &String| PREFIXES.iter().any(|prefix| part.strip_prefix(prefix).map(str::trim) == Some(""));
    if parts.iter().any(empty) {
        return Err("names a kind of selector and nothing after it");
    }
    Ok(parts)
}

/// The parts of a line. A joint stands between spaces or at an end of the line: `>>>` is none.
fn split(line: &str) -> Chain {
    let mut parts = vec![String::new()];
    for word in line.split_inclusive(char::is_whitespace) {
        if word.trim() == JOINT {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push_str(word);
        }
    }
    parts.into_iter().map(|part| part.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_chain_and_its_parts_are_joined() {
        let text = "#buy\r\n\r\n  my-shop >> button[type=submit]  \naria/Buy now\nxpath///form//b";
        let chains = read(text, "/s").expect("chains");
        assert_eq!(
            chains,
            [
                vec!["#buy".to_owned()],
                vec!["my-shop".to_owned(), "button[type=submit]".to_owned()],
                vec!["aria/Buy now".to_owned()],
                vec!["xpath///form//b".to_owned()],
            ]
        );
    }

    #[test]
    fn only_a_joint_that_stands_alone_joins() {
        assert_eq!(read("a >>> b", "/s"), Ok(vec![vec!["a >>> b".to_owned()]]));
        assert_eq!(read("aria/a>>b", "/s"), Ok(vec![vec!["aria/a>>b".to_owned()]]));
        assert_eq!(read("ul > li", "/s"), Ok(vec![vec!["ul > li".to_owned()]]));
    }

    #[test]
    fn a_fault_is_at_its_chain_and_its_line_is_known() {
        let text = "#buy\n\na >> \naria/ \n";
        let errors = read(text, "/s").expect_err("faults");
        assert_eq!(errors.iter().map(|error| &*error.pointer).collect::<Vec<_>>(), ["/s/1", "/s/2"]);
        assert_eq!(line_of(text, 1), Some(3));
        assert_eq!(line_of(text, 2), Some(4));
        assert_eq!(line_of(text, 3), None);
    }

    #[test]
    fn nothing_typed_is_a_fault_of_the_whole() {
        let errors = read(" \n\n", "/s").expect_err("a fault");
        assert_eq!(errors[0].pointer, "/s");
    }
}
