//! Rows of a CSV file (RFC 4180): quoted fields with line breaks and doubled quotes, a byte order mark,
//! and the semicolons or tabs that some spreadsheets write instead of commas. What is not whole is a fault
//! with its line, and never a guess.

use std::collections::BTreeSet;

/// A file's header and rows, each row with the line that it begins on.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) header: Vec<String>,
    pub(super) rows: Vec<(usize, Vec<String>)>,
}

/// What is wrong, and on which line, counted from 1.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub(super) struct Fault {
    pub(super) line: usize,
    pub(super) why: String,
}

fn fault<T>(line: usize, why: impl Into<String>) -> Result<T, Fault> {
    Err(Fault { line, why: why.into() })
}

/// Reads a whole file.
pub(super) fn read(bytes: &[u8]) -> Result<Table, Fault> {
    let text = decode(bytes)?;
    let mut records = records(text, separator(text))?.into_iter();
    let Some((line, header)) = records.next() else {
        return fault(1, "the file is empty: the first line names the parameters");
    };
    let header: Vec<String> = header.into_iter().map(|name| name.trim().to_owned()).collect();
    let mut seen = BTreeSet::new();
    for (column, name) in header.iter().enumerate() {
        if name.is_empty() {
            return fault(line, format!("column {} has no name", column + 1));
        }
        if !seen.insert(name) {
            return fault(line, format!("the name {name} is there twice"));
        }
    }
    let rows: Vec<_> = records.collect();
    match rows.iter().find(|(_, row)| row.len() != header.len()) {
        Some((line, row)) => {
            fault(*line, format!("{} fields where the first line names {}", row.len(), header.len()))
        }
        None => Ok(Table { header, rows }),
    }
}

fn decode(bytes: &[u8]) -> Result<&str, Fault> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return fault(1, "the file is UTF-16: save it as UTF-8");
    }
    std::str::from_utf8(bytes).or_else(|error| {
        let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
        fault(line, "not UTF-8: save the file as UTF-8")
    })
}

/// The separator: of comma, semicolon and tab the one that the first line has most of, outside quotes.
fn separator(text: &str) -> char {
    let mut quoted = false;
    let mut counts = [(',', 0_usize), (';', 0), ('\t', 0)];
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            '\n' | '\r' if !quoted => break,
            _ if !quoted => {
                if let Some((_, count)) = counts.iter_mut().find(|(separator, _)| *separator == c) {
                    *count += 1;
                }
            }
            _ => {}
        }
    }
    // The comma stands where none is there at all, or as many of another.
    counts.into_iter().rev().max_by_key(|(_, count)| *count).map_or(',', |(separator, _)| separator)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Start,
    Plain,
    Quoted { since: usize },
    Closed,
}

/// The records with the lines that they begin on; blank lines are none.
fn records(text: &str, separator: char) -> Result<Vec<(usize, Vec<String>)>, Fault> {
    let mut records = Vec::new();
    let (mut record, mut field) = (Vec::new(), String::new());
    let (mut line, mut began, mut at) = (1, 1, At::Start);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if let At::Quoted { .. } = at {
            match c {
                '"' if chars.peek() == Some(&'"') => {
                    chars.next();
                    field.push('"');
                }
                '"' => at = At::Closed,
                _ => {
                    line += usize::from(c == '\n');
                    field.push(c);
                }
            }
            continue;
        }
        let ends_line = c == '\n' || (c == '\r' && matches!(chars.peek(), Some('\n')));
        if c == separator || ends_line {
            if !(ends_line && at == At::Start && record.is_empty()) {
                record.push(std::mem::take(&mut field));
            }
            at = At::Start;
            if ends_line {
                if c == '\r' {
                    chars.next();
                }
                if !record.is_empty() {
                    records.push((began, std::mem::take(&mut record)));
                }
                line += 1;
                began = line;
            }
            continue;
        }
        match (at, c) {
            (At::Start, '"') => at = At::Quoted { since: line },
            (At::Closed, _) => return fault(line, "text after a closing quote"),
            (_, '"') => {
                return fault(
                    line,
                    "a quote inside a field that does not begin with one: double it and quote the field",
                );
            }
            _ => {
                field.push(c);
                at = At::Plain;
            }
        }
    }
    match at {
        At::Quoted { since } => return fault(since, "a quote is opened and never closed"),
        At::Start if record.is_empty() => {}
        _ => {
            record.push(field);
            records.push((began, record));
        }
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows(text: &str) -> Vec<(usize, Vec<String>)> {
        read(text.as_bytes()).expect("a good file").rows
    }

    fn refused(bytes: &[u8]) -> (usize, String) {
        let fault = read(bytes).expect_err("must be refused");
        (fault.line, fault.why)
    }

    #[test]
    fn the_first_header_is_recognised_behind_a_byte_order_mark() {
        assert_eq!(read(b"\xef\xbb\xbfname,age\nAda,36\n").expect("good").header, ["name", "age"]);
    }

    #[test]
    fn quoted_fields_hold_line_breaks_separators_and_quotes() {
        let found = rows("a,b\r\n\"x\r\ny\",\"1,2\"\r\n\"say \"\"hi\"\"\",\r\n\r\nlast,\"\"");
        let wanted = [(2, ["x\r\ny", "1,2"]), (4, ["say \"hi\"", ""]), (6, ["last", ""])];
        let wanted: Vec<_> = wanted.map(|(line, row)| (line, row.map(str::to_owned).to_vec())).into();
        assert_eq!(found, wanted);
    }

    #[test]
    fn spreadsheets_that_write_semicolons_or_tabs_are_read() {
        assert_eq!(rows("a;b\n1,5;2\n"), [(2, vec!["1,5".to_owned(), "2".to_owned()])]);
        assert_eq!(rows("a\tb\n1\t2"), [(2, vec!["1".to_owned(), "2".to_owned()])]);
        assert_eq!(rows("a\n1\n\n2"), [(2, vec!["1".to_owned()]), (4, vec!["2".to_owned()])]);
    }

    #[test]
    fn every_fault_names_its_line() {
        assert_eq!(refused(b"").0, 1);
        assert_eq!(refused(b"a,a\n"), (1, "the name a is there twice".to_owned()));
        assert_eq!(refused(b"a,\n"), (1, "column 2 has no name".to_owned()));
        assert_eq!(refused(b"a,b\n1,2\n\"x\ny\",2\n3\n").0, 5);
        assert_eq!(refused(b"a\n1\n\"open\n2\n3\n"), (3, "a quote is opened and never closed".to_owned()));
        assert_eq!(refused(b"a\n\"x\"y\n").0, 2);
        assert_eq!(refused(b"a\nx\"y\n").0, 2);
        assert_eq!(refused(b"a\n1\n\xff\n").0, 3);
        assert_eq!(refused(b"\xff\xfea\0").0, 1);
    }

    proptest! {
        #[test]
        fn what_is_written_well_is_read_back(
            table in prop::collection::vec(prop::collection::vec("[a-z\",;\n\r\t é]{0,6}", 3), 0..8),
        ) {
            let quote = |field: &String| format!("\"{}\"", field.replace('"', "\"\""));
            let mut text = "x,y,z\n".to_owned();
            for row in &table {
                text.push_str(&row.iter().map(quote).collect::<Vec<_>>().join(","));
                text.push_str("\r\n");
            }
            let found: Vec<_> = rows(&text).into_iter().map(|(_, row)| row).collect();
            prop_assert_eq!(found, table);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            if let Err(fault) = read(&bytes) {
                prop_assert!(fault.line >= 1);
            }
        }
    }
}
