//! The four-character code by which a task is told from others at a glance.

use uuid::Uuid;

/// Characters that cannot be mistaken for one another.
const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// The code of a task: made from the random end of its id, so that tasks of one moment differ.
#[must_use]
pub fn code(id: Uuid) -> String {
    let low = id.as_u128();
    (0..4u32).rev().map(|place| char::from(LETTERS[((low >> (place * 5)) & 31) as usize])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_four_characters_and_comes_from_the_ids_end() {
        assert_eq!(code(Uuid::from_u128(0)), "0000");
        assert_eq!(code(Uuid::from_u128(31)), "000Z");
        assert_eq!(code(Uuid::from_u128(u128::MAX)), "ZZZZ");
    }
}
