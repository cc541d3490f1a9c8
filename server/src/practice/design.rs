//! What a redesign changes: ids, labels, classes, places.
//!
//! A design is one of two looks with any of three changes to neighbours on top. In an address or a form it is
//! written `2`, or `1-swap`, or `2-swap-trade-remove`.

use std::fmt;

/// A design of the shop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Design {
    /// The second look: ids and labels renamed, buttons moved.
    pub second: bool,
    /// Two neighbours have changed places: what stands where the button or field stood is another.
    pub swap: bool,
    /// The two neighbours have changed ids.
    pub trade: bool,
    /// The button that puts a product into the cart is gone.
    pub remove: bool,
}

impl Design {
    /// Reads a design; none where it is not written as one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let mut design = match parts.next()? {
            "1" => Self::default(),
            "2" => Self { second: true, ..Self::default() },
            _ => return None,
        };
        for part in parts {
            match part {
                "swap" => design.swap = true,
                "trade" => design.trade = true,
                "remove" => design.remove = true,
                _ => return None,
            }
        }
        Some(design)
    }

    pub(super) fn look(self) -> &'static Look {
        if self.second { &SECOND } else { &FIRST }
    }

    /// A control and its neighbour, with the ids they have in this design.
    pub(super) fn pair(self, control: Named, neighbour: Named) -> (Named, Named) {
        if self.trade {
            (Named { id: neighbour.id, ..control }, Named { id: control.id, ..neighbour })
        } else {
            (control, neighbour)
        }
    }

    /// The markup of a control and its neighbour, in the order they have in this design.
    pub(super) fn ordered(self, control: &str, neighbour: &str) -> String {
        if self.swap { format!("{neighbour}{control}") } else { format!("{control}{neighbour}") }
    }
}

impl fmt::Display for Design {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.second { "2" } else { "1" })?;
        for (set, name) in [(self.swap, "-swap"), (self.trade, "-trade"), (self.remove, "-remove")] {
            if set {
                f.write_str(name)?;
            }
        }
        Ok(())
    }
}

/// An element's id and what people read on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub id: &'static str,
    pub label: &'static str,
}

const fn named(id: &'static str, label: &'static str) -> Named {
    Named { id, label }
}

/// The names of a look.
#[derive(Debug)]
pub(super) struct Look {
    pub body_class: &'static str,
    pub test_ids: bool,
    pub search: Named,
    pub search_hint: &'static str,
    pub search_go: Named,
    pub sign_in_link: Named,
    pub account_link: Named,
    pub orders_link: Named,
    pub cart_link: Named,
    /// Classes of a list of products, one product in it, its name and its price.
    pub list: &'static str,
    pub item: &'static str,
    pub item_name: &'static str,
    pub price: &'static str,
    pub add_to_cart: Named,
    pub add_to_wishes: Named,
    pub pieces: Named,
    pub to_checkout: Named,
    pub sign_in_email: Named,
    pub sign_in_password: Named,
    pub sign_in_go: Named,
    pub full_name: Named,
    pub company: Named,
    pub email: Named,
    pub phone: Named,
    pub street: Named,
    pub postcode: Named,
    pub city: Named,
    pub country: Named,
    pub standard: Named,
    pub express: Named,
    pub terms: Named,
    pub place_order: Named,
    pub order_number: &'static str,
    /// Ids of the table of orders and of the table of an order's lines.
    pub orders: &'static str,
    pub order_lines: &'static str,
    /// Classes of a number, a date, a status and a total in those tables.
    pub cell_number: &'static str,
    pub cell_date: &'static str,
    pub cell_status: &'static str,
    pub cell_total: &'static str,
    pub export: Named,
}

const FIRST: Look = Look {
    body_class: "look-1",
    test_ids: true,
    search: named("search", "Search the shop"),
    search_hint: "Lamps, tools, lanterns…",
    search_go: named("search-button", "Search"),
    sign_in_link: named("sign-in-link", "Sign in"),
    account_link: named("account-link", "Your account"),
    orders_link: named("orders-link", "Orders"),
    cart_link: named("cart-link", "Cart"),
    list: "results",
    item: "card",
    item_name: "card-name",
    price: "price",
    add_to_cart: named("add-to-cart", "Add to cart"),
    add_to_wishes: named("add-to-wish-list", "Add to wish list"),
    pieces: named("pieces", "Pieces"),
    to_checkout: named("go-to-checkout", "Go to checkout"),
    sign_in_email: named("email", "Email address"),
    sign_in_password: named("password", "Password"),
    sign_in_go: named("sign-in-button", "Sign in"),
    full_name: named("full-name", "Full name"),
    company: named("company", "Company (optional)"),
    email: named("contact-email", "Email address"),
    phone: named("phone", "Phone (optional)"),
    street: named("street", "Street and number"),
    postcode: named("postcode", "Postcode"),
    city: named("city", "City"),
    country: named("country", "Country"),
    standard: named("delivery-standard", "Standard, 3 to 5 days"),
    express: named("delivery-express", "Express, next day"),
    terms: named("accept-terms", "I accept the terms of sale"),
    place_order: named("place-order", "Place order"),
    order_number: "order-number",
    orders: "orders-table",
    order_lines: "order-lines",
    cell_number: "order-no",
    cell_date: "order-date",
    cell_status: "order-status",
    cell_total: "order-total",
    export: named("export-orders", "Download as CSV"),
};

const SECOND: Look = Look {
    body_class: "look-2",
    test_ids: false,
    search: named("find-field", "What are you looking for?"),
    search_hint: "Find a product",
    search_go: named("find-now", "Find"),
    sign_in_link: named("login-entry", "Log in"),
    account_link: named("my-halden", "My Halden"),
    orders_link: named("purchases-entry", "Purchases"),
    cart_link: named("basket-entry", "Basket"),
    list: "tile-grid",
    item: "tile",
    item_name: "tile-title",
    price: "amount",
    add_to_cart: named("buy-box-main", "Put in basket"),
    add_to_wishes: named("buy-box-later", "Remember for later"),
    pieces: named("buy-box-amount", "How many"),
    to_checkout: named("basket-continue", "Continue to delivery"),
    sign_in_email: named("login-user", "Your email"),
    sign_in_password: named("login-secret", "Your password"),
    sign_in_go: named("login-submit", "Log in"),
    full_name: named("parcel-name", "Name on the parcel"),
    company: named("parcel-firm", "Firm, if any"),
    email: named("parcel-mail", "Where we write to"),
    phone: named("parcel-phone", "Phone, if we may call"),
    street: named("parcel-street", "Street"),
    postcode: named("parcel-zip", "Postal code"),
    city: named("parcel-town", "Town"),
    country: named("parcel-land", "Land"),
    standard: named("send-normal", "Normal parcel, 3 to 5 days"),
    express: named("send-fast", "Fast parcel, next day"),
    terms: named("agree", "The terms of sale are fine with me"),
    place_order: named("buy-now", "Buy now"),
    order_number: "purchase-reference",
    orders: "purchases",
    order_lines: "purchase-items",
    cell_number: "ref",
    cell_date: "when",
    cell_status: "state",
    cell_total: "sum",
    export: named("purchases-file", "Save as a file"),
};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_design_reads_as_it_is_written(second: bool, swap: bool, trade: bool, remove: bool) {
            let design = Design { second, swap, trade, remove };
            prop_assert_eq!(Design::parse(&design.to_string()), Some(design));
        }

        #[test]
        fn what_is_no_design_is_refused(text in "[a-z0-9-]{0,12}") {
            if let Some(design) = Design::parse(&text) {
                prop_assert_eq!(Design::parse(&design.to_string()), Some(design));
            }
        }
    }

    #[test]
    fn trading_gives_each_the_others_id_and_leaves_the_labels() {
        let design = Design { trade: true, ..Design::default() };
        let (buy, wish) = design.pair(FIRST.add_to_cart, FIRST.add_to_wishes);
        assert_eq!((buy.id, buy.label), ("add-to-wish-list", "Add to cart"));
        assert_eq!((wish.id, wish.label), ("add-to-cart", "Add to wish list"));
    }
}
