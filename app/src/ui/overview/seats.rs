//! Which berth of the drawing each running task stands in. The pool does not number its slots; the drawing
//! does, so that a task stays where it was first drawn until it leaves.

use uuid::Uuid;

/// The berths after a change: who still runs keeps its berth, who is new takes the first free one.
#[must_use]
pub fn seat(before: &[Option<Uuid>], running: &[Uuid], slots: usize) -> Vec<Option<Uuid>> {
    let mut seats: Vec<Option<Uuid>> =
        before.iter().map(|task| task.filter(|task| running.contains(task))).collect();
    seats.resize(seats.len().max(slots), None);
    for task in running {
        if seats.contains(&Some(*task)) {
            continue;
        }
        match seats.iter_mut().find(|seat| seat.is_none()) {
            Some(free) => *free = Some(*task),
            None => seats.push(Some(*task)),
        }
    }
    // Slots that were taken away go once nobody stands in them.
    while seats.len() > slots && seats.last() == Some(&None) {
        seats.pop();
    }
    seats
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn id(n: u128) -> Uuid {
        Uuid::from_u128(n)
    }

    #[test]
    fn a_task_keeps_its_berth_when_another_leaves() {
        let first = seat(&[], &[id(1), id(2), id(3)], 4);
        assert_eq!(first, [Some(id(1)), Some(id(2)), Some(id(3)), None]);
        let then = seat(&first, &[id(2), id(3), id(4)], 4);
        assert_eq!(then, [Some(id(4)), Some(id(2)), Some(id(3)), None]);
    }

    #[test]
    fn a_slot_that_was_taken_away_stays_until_it_is_empty() {
        let before = [Some(id(1)), None, Some(id(3))];
        assert_eq!(seat(&before, &[id(3)], 1), [None, None, Some(id(3))]);
        assert_eq!(seat(&[None, None, Some(id(3))], &[], 1), [None]);
    }

    proptest! {
        #[test]
        fn everybody_who_runs_has_exactly_one_berth(
            before in proptest::collection::vec(proptest::option::of(0u128..8), 0..8),
            running in proptest::collection::btree_set(0u128..12, 0..8),
            slots in 0usize..8,
        ) {
            let mut seen = std::collections::BTreeSet::new();
            let before: Vec<_> = before.into_iter().map(|n| n.filter(|n| seen.insert(*n)).map(id)).collect();
            let running: Vec<_> = running.into_iter().map(id).collect();
            let seats = seat(&before, &running, slots);
            prop_assert!(seats.len() >= slots);
            for task in &running {
                prop_assert_eq!(seats.iter().filter(|seat| **seat == Some(*task)).count(), 1);
            }
            prop_assert_eq!(seats.iter().flatten().count(), running.len());
            for (index, task) in before.iter().enumerate() {
                if let Some(task) = task.filter(|task| running.contains(task)) {
                    prop_assert_eq!(seats[index], Some(task));
                }
            }
        }
    }
}
