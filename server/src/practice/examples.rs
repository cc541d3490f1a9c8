//! Recordings of the practice site that ship with the program.

use app::model::flow::example::ExampleRecording;

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

impl Example {
    /// The example as the pages show it: what it does, and values that work for what it asks.
    #[must_use]
    pub fn to_model(&self) -> ExampleRecording {
        let values: Vec<String> = self
            .parameters
            .iter()
            .map(|parameter| format!("{} = {}", parameter.name, parameter.value))
            .collect();
        let description = match values.as_slice() {
            [] => self.description.to_owned(),
            values => format!("{} Try it with {}.", self.description, values.join(", ")),
        };
        ExampleRecording {
            file: self.file.to_owned(),
            title: self.title.to_owned(),
            description,
            json: self.json.to_owned(),
        }
    }
}

/// A parameter of an example.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// A value that works.
    pub value: &'static str,
}

/// The recordings, the simplest first.
pub const EXAMPLES: &[Example] = &[
    Example {
        file: "search-and-extract.json",
        title: "Search the lamp shop",
        json: include_str!("../../examples/recordings/search-and-extract.json"),
        description: "Searches the practice shop and takes the names and prices of what it finds.",
        parameters: &[Parameter { name: "query", value: "desk lamp" }],
    },
    Example {
        file: "sign-in-and-export-orders.json",
        title: "Export the orders",
        json: include_str!("../../examples/recordings/sign-in-and-export-orders.json"),
        description: "Signs in to the practice shop and takes numbers, dates and totals of all orders, and the products of the newest.",
        parameters: &[
            Parameter { name: "user", value: super::USER },
            Parameter { name: "password", value: super::PASSWORD },
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_says_what_to_try_it_with() {
        assert_eq!(
            EXAMPLES[0].to_model().description,
            "Searches the practice shop and takes the names and prices of what it finds. Try it with query = desk lamp."
        );
        assert_eq!(EXAMPLES[2].to_model().description, EXAMPLES[2].description);
    }
}
