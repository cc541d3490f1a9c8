//! What the shop sells: sixty products, the same in every run.

use std::sync::LazyLock;

/// A department.
#[derive(Debug)]
pub(super) struct Category {
    pub slug: &'static str,
    pub name: &'static str,
    /// What one thing of it is called.
    noun: &'static str,
    about: &'static str,
    /// Lowest price and the span above it, in whole euros.
    from: u32,
    span: u32,
}

pub(super) const CATEGORIES: [Category; 6] = [
    Category {
        slug: "desk-lamps",
        name: "Desk lamps",
        noun: "desk lamp",
        about: "A warm, even light for reading and fine work, with an arm that stays where you put it.",
        from: 39,
        span: 110,
    },
    Category {
        slug: "floor-lamps",
        name: "Floor lamps",
        noun: "floor lamp",
        about: "Stands firmly, dims without a flicker, and fills the corner that the ceiling lamp forgets.",
        from: 79,
        span: 190,
    },
    Category {
        slug: "lanterns",
        name: "Lanterns",
        noun: "lantern",
        about: "For the porch, the boat and the power cut: sealed against rain, and twenty hours on a charge.",
        from: 19,
        span: 60,
    },
    Category {
        slug: "hand-tools",
        name: "Hand tools",
        noun: "hand plane",
        about: "Ground and set by hand, so that it takes a shaving on the day it arrives.",
        from: 29,
        span: 120,
    },
    Category {
        slug: "measuring",
        name: "Measuring",
        noun: "folding rule",
        about: "Marked to half a millimetre, with joints that neither stick nor sag.",
        from: 9,
        span: 30,
    },
    Category {
        slug: "workshop",
        name: "Workshop",
        noun: "bench vice",
        about: "Cast, not pressed: it holds the work and not the other way round.",
        from: 49,
        span: 160,
    },
];

const PLACES: [&str; 10] =
    ["Halden", "Rena", "Voss", "Tynset", "Moss", "Røros", "Lom", "Fauske", "Bryne", "Narvik"];
const FINISHES: [&str; 7] = ["brass", "oak", "matt black", "linen white", "steel", "walnut", "signal red"];

/// A product.
#[derive(Debug)]
pub(super) struct Product {
    pub slug: String,
    pub name: String,
    pub number: String,
    pub category: &'static Category,
    pub finish: &'static str,
    pub cents: u32,
    pub stock: u32,
    /// Out of five, in tenths.
    pub rating: u32,
    pub reviews: u32,
    pub about: String,
    /// Which of the pictures' colours, 0 to 359.
    pub hue: u32,
}

/// Every product, department by department.
pub(super) fn all() -> &'static [Product] {
    static ALL: LazyLock<Vec<Product>> = LazyLock::new(|| {
        CATEGORIES
            .iter()
            .enumerate()
            .flat_map(|(c, category)| {
                PLACES.iter().enumerate().map(move |(p, place)| make(c, category, p, place))
            })
            .collect()
    });
    &ALL
}

fn make(c: usize, category: &'static Category, p: usize, place: &str) -> Product {
    let dice = scatter((c * PLACES.len() + p) as u32);
    let finish = FINISHES[(c + p) % FINISHES.len()];
    Product {
        slug: format!("{}-{}", place.to_lowercase().replace('ø', "o"), category.noun.replace(' ', "-")),
        name: format!("{place} {}", category.noun),
        number: format!("HL-{}", 1_000 + c * 100 + p * 7),
        category,
        finish,
        cents: (category.from + dice % category.span) * 100 + [0, 50, 90, 95][(dice >> 8) as usize % 4],
        stock: (dice >> 12) % 24,
        rating: 34 + (dice >> 16) % 17,
        reviews: 2 + (dice >> 20) % 180,
        about: format!("{} In {finish}.", category.about),
        hue: (dice >> 3) % 360,
    }
}

/// A well-mixed number of a small one, so that prices look chosen and never change.
fn scatter(seed: u32) -> u32 {
    let mut x = seed.wrapping_add(1).wrapping_mul(0x9E37_79B9);
    x ^= x >> 16;
    x = x.wrapping_mul(0x85EB_CA6B);
    x ^= x >> 13;
    x = x.wrapping_mul(0xC2B2_AE35);
    x ^ (x >> 16)
}

pub(super) fn find(slug: &str) -> Option<&'static Product> {
    all().iter().find(|product| product.slug == slug)
}

pub(super) fn category(slug: &str) -> Option<&'static Category> {
    CATEGORIES.iter().find(|category| category.slug == slug)
}

/// How a list is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Shop,
    Cheapest,
    Dearest,
    Name,
}

impl Sort {
    pub(super) const ALL: [(Self, &'static str, &'static str); 4] = [
        (Self::Shop, "", "Our choice"),
        (Self::Cheapest, "cheapest", "Lowest price"),
        (Self::Dearest, "dearest", "Highest price"),
        (Self::Name, "name", "Name"),
    ];

    pub(super) fn parse(text: &str) -> Self {
        Self::ALL.into_iter().find(|(_, code, _)| *code == text).map_or(Self::Shop, |(sort, _, _)| sort)
    }
}

/// The products that hold every word of a query, in a department where one is named.
pub(super) fn search(query: &str, category: Option<&Category>, sort: Sort) -> Vec<&'static Product> {
    let words: Vec<String> = query.split_whitespace().take(10).map(str::to_lowercase).collect();
    let mut found: Vec<&'static Product> = all()
        .iter()
        .filter(|product| category.is_none_or(|category| product.category.slug == category.slug))
        .filter(|product| {
            let text =
                format!("{} {} {} {}", product.name, product.finish, product.category.name, product.number)
                    .to_lowercase();
            words.iter().all(|word| text.contains(word.as_str()))
        })
        .collect();
    match sort {
        Sort::Shop => {}
        Sort::Cheapest => found.sort_by_key(|product| product.cents),
        Sort::Dearest => found.sort_by_key(|product| std::cmp::Reverse(product.cents)),
        Sort::Name => found.sort_by(|a, b| a.name.cmp(&b.name)),
    }
    found
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn there_are_sixty_products_with_addresses_and_numbers_of_their_own() {
        let slugs: HashSet<_> = all().iter().map(|product| &product.slug).collect();
        let numbers: HashSet<_> = all().iter().map(|product| &product.number).collect();
        assert_eq!((all().len(), slugs.len(), numbers.len()), (60, 60, 60));
        assert!(slugs.iter().all(|slug| slug.is_ascii()));
    }

    #[test]
    fn prices_do_not_change_from_run_to_run() {
        let total: u32 = all().iter().map(|product| product.cents).sum();
        assert_eq!((all()[0].cents, total), (11_395, 531_755));
    }

    #[test]
    fn a_search_finds_what_holds_every_word() {
        assert_eq!(search("lamp", None, Sort::Shop).len(), 20);
        assert_eq!(search("  røros   LAMP ", None, Sort::Shop).len(), 2);
        assert!(search("submarine", None, Sort::Shop).is_empty());
        let cheap = search("", category("lanterns"), Sort::Cheapest);
        assert_eq!(cheap.len(), 10);
        assert!(cheap.is_sorted_by_key(|product| product.cents));
    }
}
