//! Keys by the names of recordings, as a keyboard with US layout sends them. Pure.

use serde_json::{Value, json};

/// Modifier bits of the protocol.
const ALT: u8 = 1;
const CONTROL: u8 = 2;
const META: u8 = 4;
const SHIFT: u8 = 8;

/// A key of the keyboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    key: String,
    code: String,
    number: u32,
    location: u8,
    text: Option<String>,
}

/// Keys that are named: name, code, number, text.
const NAMED: &[(&str, &str, u32, &str)] = &[
    ("Enter", "Enter", 13, "\r"),
    ("Tab", "Tab", 9, ""),
    ("Backspace", "Backspace", 8, ""),
    ("Delete", "Delete", 46, ""),
    ("Escape", "Escape", 27, ""),
    ("Space", "Space", 32, " "),
    ("ArrowLeft", "ArrowLeft", 37, ""),
    ("ArrowUp", "ArrowUp", 38, ""),
    ("ArrowRight", "ArrowRight", 39, ""),
    ("ArrowDown", "ArrowDown", 40, ""),
    ("PageUp", "PageUp", 33, ""),
    ("PageDown", "PageDown", 34, ""),
    ("End", "End", 35, ""),
    ("Home", "Home", 36, ""),
    ("Insert", "Insert", 45, ""),
    ("Shift", "ShiftLeft", 16, ""),
    ("Control", "ControlLeft", 17, ""),
    ("Alt", "AltLeft", 18, ""),
    ("AltGraph", "AltRight", 18, ""),
    ("Meta", "MetaLeft", 91, ""),
    ("CapsLock", "CapsLock", 20, ""),
    ("NumLock", "NumLock", 144, ""),
    ("ScrollLock", "ScrollLock", 145, ""),
    ("Pause", "Pause", 19, ""),
    ("PrintScreen", "PrintScreen", 44, ""),
    ("ContextMenu", "ContextMenu", 93, ""),
    ("NumpadEnter", "NumpadEnter", 13, "\r"),
];

/// Keys that write: what they write, with shift, code, number.
const WRITING: &[(char, char, &str, u32)] = &[
    ('`', '~', "Backquote", 192),
    ('-', '_', "Minus", 189),
    ('=', '+', "Equal", 187),
    ('[', '{', "BracketLeft", 219),
    (']', '}', "BracketRight", 221),
    ('\\', '|', "Backslash", 220),
    (';', ':', "Semicolon", 186),
    ('\'', '"', "Quote", 222),
    (',', '<', "Comma", 188),
    ('.', '>', "Period", 190),
    ('/', '?', "Slash", 191),
    ('1', '!', "Digit1", 49),
    ('2', '@', "Digit2", 50),
    ('3', '#', "Digit3", 51),
    ('4', '$', "Digit4", 52),
    ('5', '%', "Digit5", 53),
    ('6', '^', "Digit6", 54),
    ('7', '&', "Digit7", 55),
    ('8', '*', "Digit8", 56),
    ('9', '(', "Digit9", 57),
    ('0', ')', "Digit0", 48),
    (' ', ' ', "Space", 32),
];

impl Key {
    /// The key of a recording's name; one that is on no keyboard is sent by its name alone.
    pub fn named(name: &str) -> Self {
        if let Some((_, code, number, text)) = NAMED.iter().find(|(known, ..)| *known == name) {
            let key = match name {
                "Space" => " ",
                "NumpadEnter" => "Enter",
                other => other,
            };
            let location = match *code {
                "NumpadEnter" => 3,
                "AltRight" => 2,
                "ShiftLeft" | "ControlLeft" | "AltLeft" | "MetaLeft" => 1,
                _ => 0,
            };
            let text = (!text.is_empty()).then(|| (*text).to_owned());
            return Self { key: key.to_owned(), code: (*code).to_owned(), number: *number, location, text };
        }
        if let Some(number) =
            name.strip_prefix('F').and_then(|n| n.parse::<u32>().ok()).filter(|n| (1..=24).contains(n))
        {
            let name = name.to_owned();
            return Self { key: name.clone(), code: name, number: 111 + number, location: 0, text: None };
        }
        let mut chars = name.chars();
        match (chars.next(), chars.next()) {
            (Some(c), None) => Self::writing(c).unwrap_or_else(|| Self::bare(name, Some(name))),
            _ => Self::bare(name, None),
        }
    }

    /// The key that writes a character, where the keyboard has one.
    pub fn writing(c: char) -> Option<Self> {
        let (code, number) = match c {
            'a'..='z' | 'A'..='Z' => {
                let upper = c.to_ascii_uppercase();
                (format!("Key{upper}"), u32::from(upper))
            }
            '\n' | '\r' => return Some(Self::named("Enter")),
            _ => {
                let (_, _, code, number) =
                    WRITING.iter().find(|(plain, shifted, ..)| *plain == c || *shifted == c)?;
                ((*code).to_owned(), *number)
            }
        };
        Some(Self { key: c.to_string(), code, number, location: 0, text: Some(c.to_string()) })
    }

    fn bare(name: &str, text: Option<&str>) -> Self {
        Self {
            key: name.to_owned(),
            code: String::new(),
            number: 0,
            location: 0,
            text: text.map(str::to_owned),
        }
    }

    /// The modifier bit that it holds down; 0 for another key.
    pub fn modifier(&self) -> u8 {
        match self.key.as_str() {
            "Alt" | "AltGraph" => ALT,
            "Control" => CONTROL,
            "Meta" => META,
            "Shift" => SHIFT,
            _ => 0,
        }
    }

    pub fn is_enter(&self) -> bool {
        self.key == "Enter"
    }

    /// Whether it activates a button that has the focus.
    pub fn is_space(&self) -> bool {
        self.key == " "
    }

    /// What `Input.dispatchKeyEvent` is given when it goes down.
    pub fn down(&self, modifiers: u8) -> Value {
        // With control or meta a key is a command and writes nothing.
        let text = self.text.as_deref().filter(|_| modifiers & (CONTROL | META) == 0);
        let mut event = self.event(if text.is_some() { "keyDown" } else { "rawKeyDown" }, modifiers);
        if let Some(text) = text {
            event["text"] = text.into();
            event["unmodifiedText"] = text.into();
        }
        if let Some(command) = self.command(modifiers) {
            event["commands"] = json!([command]);
        }
        event
    }

    /// What `Input.dispatchKeyEvent` is given when it goes up.
    pub fn up(&self, modifiers: u8) -> Value {
        self.event("keyUp", modifiers)
    }

    fn event(&self, kind: &str, modifiers: u8) -> Value {
        json!({
            "type": kind,
            "key": self.key,
            "code": self.code,
            "windowsVirtualKeyCode": self.number,
            "nativeVirtualKeyCode": self.number,
            "location": self.location,
            "modifiers": modifiers,
        })
    }

    /// The editing command that a chord stands for; without a window system nothing else translates it.
    fn command(&self, modifiers: u8) -> Option<&'static str> {
        if modifiers & (CONTROL | META) == 0 {
            return None;
        }
        match self.key.to_ascii_lowercase().as_str() {
            "a" => Some("selectAll"),
            "c" => Some("copy"),
            "x" => Some("cut"),
            "v" => Some("paste"),
            "z" if modifiers & SHIFT != 0 => Some("redo"),
            "z" => Some("undo"),
            "y" => Some("redo"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_write_send_their_text() {
        let event = Key::named("a").down(0);
        assert_eq!((event["type"].as_str(), event["text"].as_str()), (Some("keyDown"), Some("a")));
        assert_eq!(
            (event["code"].as_str(), event["windowsVirtualKeyCode"].as_u64()),
            (Some("KeyA"), Some(65))
        );
        assert_eq!(Key::named("?").down(SHIFT)["code"], "Slash");
        assert_eq!(Key::named("Enter").down(0)["text"], "\r");
    }

    #[test]
    fn a_chord_is_a_command_and_writes_nothing() {
        let event = Key::named("a").down(CONTROL);
        assert_eq!(event["type"], "rawKeyDown");
        assert!(event.get("text").is_none());
        assert_eq!(event["commands"][0], "selectAll");
    }

    #[test]
    fn modifiers_and_function_keys_are_known() {
        assert_eq!(Key::named("Shift").modifier(), SHIFT);
        assert_eq!(Key::named("F5").down(0)["windowsVirtualKeyCode"], 116);
        assert_eq!(Key::named("a").modifier(), 0);
    }

    #[test]
    fn an_unknown_key_is_sent_by_its_name_and_a_letter_of_another_script_writes_itself() {
        assert_eq!(Key::named("MediaPlay").down(0)["type"], "rawKeyDown");
        assert_eq!(Key::named("ü").down(0)["text"], "ü");
        assert_eq!(Key::writing('ü'), None);
    }
}
