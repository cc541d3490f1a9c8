//! Recordings of the practice site that ship with the program.

/// A recording that ships with the program.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// Its file's name.
    pub file: &'static str,
    /// What it is called.
    pub title: &'static str,
    /// The recording.
    pub json: &'static str,
    /// What it does, in a sentence.
    pub description: &'static str,
    /// The parameters in it, with values that work on the practice site.
    pub parameters: &'static [Parameter],
}

/// A parameter of an example.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// A value that works.
    pub value: &'static str,
    /// Whether it is to be masked.
    pub private: bool,
}

/// The recordings, the simplest first.
pub const EXAMPLES: &[Example] = &[
    Example {
        file: "search-and-extract.json",
        title: "Search the lamp shop",
        json: include_str!("../../examples/recordings/search-and-extract.json"),
        description: "Searches the shop for {{query}} and takes the names and prices of what it finds.",
        parameters: &[Parameter { name: "query", value: "desk lamp", private: false }],
    },
    Example {
        file: "sign-in-and-export-orders.json",
        title: "Export the orders",
        json: include_str!("../../examples/recordings/sign-in-and-export-orders.json"),
        description: "Signs in as {{user}}, takes numbers, dates and totals of all orders, and the lines of the newest.",
        parameters: &[
            Parameter { name: "user", value: super::USER, private: false },
            Parameter { name: "password", value: super::PASSWORD, private: true },
        ],
    },
    Example {
        file: "checkout.json",
        title: "Order a desk lamp",
        json: include_str!("../../examples/recordings/checkout.json"),
        description: "Puts a lamp into the cart, fills in the form and places the order, once; takes the order's number.",
        parameters: &[],
    },
];
