//! Address, delivery and the order.

use std::collections::HashMap;

use axum::{Form, http::StatusCode, response::Response};

use crate::practice::{
    design::Named,
    html::{Field, Page, escape, money, test_id},
    session::{Order, Session, shipping},
    state::PlacedOrder,
    visit::Visit,
};

/// The day on which every order is placed: results of tests do not change with the calendar.
const TODAY: &str = "1 December 2026";
/// Longest value of a field.
const LONGEST: usize = 100;

const COUNTRIES: [(&str, &str); 6] = [
    ("NO", "Norway"),
    ("SE", "Sweden"),
    ("DK", "Denmark"),
    ("DE", "Germany"),
    ("CH", "Switzerland"),
    ("GB", "United Kingdom"),
];

/// What was typed, by the names of the fields.
type Typed = HashMap<String, String>;
/// What is wrong with it, by the same names.
type Faults = HashMap<&'static str, &'static str>;

pub(super) async fn form(visit: Visit) -> Response {
    let session = visit.session();
    if session.cart.is_empty() {
        return visit.see("/cart");
    }
    let mut typed = Typed::new();
    if session.signed_in {
        typed.insert("name".to_owned(), session.name().to_owned());
        typed.insert("email".to_owned(), crate::practice::USER.to_owned());
    }
    let body = render(&visit, &session, &typed, &Faults::new());
    visit.page(Page::new("Checkout", body))
}

pub(super) async fn place(mut visit: Visit, Form(typed): Form<Typed>) -> Response {
    let session = visit.session();
    if session.cart.is_empty() {
        return visit.see("/cart");
    }
    let faults = check(&typed);
    if !faults.is_empty() {
        let body = render(&visit, &session, &typed, &faults);
        return visit
            .page(Page::new("Checkout: please check", body).status(StatusCode::UNPROCESSABLE_ENTITY));
    }
    let order = Order {
        number: visit.state.next_order_number(),
        date: TODAY,
        status: "Received",
        shipping_cents: shipping(session.goods_cents(), value(&typed, "delivery") == "express"),
        lines: session.cart,
    };
    visit.state.add_placed(PlacedOrder {
        number: order.number.clone(),
        name: value(&typed, "name").to_owned(),
        total: money(order.total_cents()),
    });
    let address = format!("/confirmation?order={}", order.number);
    visit.change(|session| {
        session.cart.clear();
        session.keep_order(order);
    });
    visit.see(&address)
}

pub(super) async fn confirmation(visit: Visit) -> Response {
    let session = visit.session();
    let Some(order) = session.orders.iter().find(|order| order.number == visit.query("order")) else {
        return super::not_found(visit).await;
    };
    let body = format!(
        "<section class=\"thanks\"><h1>Thank you, your order is in</h1>\
         <p>Its number is <strong id=\"{id}\"{test}>{number}</strong>. Keep it: it is what we ask for when you call.</p>\
         <p>Total: <span id=\"total\">{total}</span>. We send it tomorrow.</p>\
         <p class=\"buttons\"><a class=\"button\" href=\"/products\">Go on shopping</a></p></section>",
        id = visit.look().order_number,
        test = test_id(&visit, "order-number"),
        number = order.number,
        total = money(order.total_cents()),
    );
    visit.page(Page::new("Thank you", body))
}

fn value<'a>(typed: &'a Typed, name: &str) -> &'a str {
    typed.get(name).map(|value| value.trim()).unwrap_or_default()
}

/// Finds what is wrong with what was typed.
fn check(typed: &Typed) -> Faults {
    let mut faults = Faults::new();
    for (name, words) in
        [("name", "Enter your full name"), ("street", "Enter street and number"), ("city", "Enter the city")]
    {
        if value(typed, name).is_empty() {
            faults.insert(name, words);
        }
    }
    let email = value(typed, "email");
    let good = email
        .split_once('@')
        .is_some_and(|(who, host)| !who.is_empty() && host.contains('.') && !host.contains('@'));
    if !good || email.contains(char::is_whitespace) {
        faults.insert("email", "Enter an email address such as name@example.com");
    }
    let postcode = value(typed, "postcode");
    if !(3..=10).contains(&postcode.chars().count()) || !postcode.chars().any(|c| c.is_ascii_digit()) {
        faults.insert("postcode", "Enter a postcode, such as 1767");
    }
    if !COUNTRIES.iter().any(|(code, _)| *code == value(typed, "country")) {
        faults.insert("country", "Choose a country");
    }
    if value(typed, "terms").is_empty() {
        faults.insert("terms", "Accept the terms of sale to go on");
    }
    for name in ["name", "company", "email", "phone", "street", "postcode", "city"] {
        if value(typed, name).chars().count() > LONGEST {
            faults.insert(name, "This is too long: at most 100 characters");
        }
    }
    faults
}

fn render(visit: &Visit, session: &Session, typed: &Typed, faults: &Faults) -> String {
    let look = visit.look();
    let field = |named: Named, name: &str, kind: &str, more: &str| {
        Field { named, name, kind, value: value(typed, name), error: faults.get(name).copied(), more }.html()
    };
    let (full_name, company) = visit.design.pair(look.full_name, look.company);
    let names = visit.design.ordered(
        &field(full_name, "name", "text", "autocomplete=\"name\""),
        &field(company, "company", "text", "autocomplete=\"organization\""),
    );
    let summary = if faults.is_empty() {
        String::new()
    } else {
        format!("<p class=\"notice\" role=\"alert\">Please check {} below.</p>", places(faults.len()))
    };
    let goods = session.goods_cents();
    let button = format!(
        "<button id=\"{}\" type=\"submit\" form=\"checkout-form\"{}>{}</button>",
        look.place_order.id,
        test_id(visit, "place-order"),
        look.place_order.label
    );
    let form = format!(
        "<form id=\"checkout-form\" action=\"/checkout\" method=\"post\" novalidate>\
         <fieldset><legend>Where it goes</legend>{names}{email}{phone}{street}<div class=\"two\">{postcode}{city}</div>{country}</fieldset>\
         <fieldset><legend>How it is sent</legend>{delivery}</fieldset>{terms}{end}</form>",
        email = field(look.email, "email", "email", "autocomplete=\"email\""),
        phone = field(look.phone, "phone", "tel", "autocomplete=\"tel\""),
        street = field(look.street, "street", "text", "autocomplete=\"address-line1\""),
        postcode = field(look.postcode, "postcode", "text", "autocomplete=\"postal-code\""),
        city = field(look.city, "city", "text", "autocomplete=\"address-level2\""),
        country = country(look.country, value(typed, "country"), faults.get("country").copied()),
        delivery = delivery(visit, value(typed, "delivery"), goods),
        terms = terms(look.terms, !value(typed, "terms").is_empty(), faults.get("terms").copied()),
        end = if visit.design.second { "" } else { button.as_str() },
    );
    // The redesign moves the button into the summary beside the form.
    let aside = format!(
        "<aside class=\"summary\" aria-label=\"Your order\"><h2>Your order</h2><ul>{}</ul><p>Goods: {}</p>{}</aside>",
        session
            .cart
            .iter()
            .map(|line| format!("<li>{} × {}</li>", line.pieces, escape(&line.product().name)))
            .collect::<String>(),
        money(goods),
        if visit.design.second { button.as_str() } else { "" },
    );
    format!("<h1>Checkout</h1>{summary}<div class=\"checkout\">{form}{aside}</div>")
}

fn places(count: usize) -> String {
    if count == 1 { "one field".to_owned() } else { format!("{count} fields") }
}

fn country(named: Named, chosen: &str, error: Option<&str>) -> String {
    let options: String = COUNTRIES
        .iter()
        .map(|(code, name)| {
            let selected = if *code == chosen { " selected" } else { "" };
            format!("<option value=\"{code}\"{selected}>{name}</option>")
        })
        .collect();
    let (wrong, words) = match error {
        Some(error) => (
            format!(" aria-invalid=\"true\" aria-describedby=\"{}-error\"", named.id),
            format!("<p class=\"field-error\" id=\"{}-error\">{error}</p>", named.id),
        ),
        None => (String::new(), String::new()),
    };
    format!(
        "<div class=\"field\"><label for=\"{id}\">{label}</label><select id=\"{id}\" name=\"country\"{wrong}>\
         <option value=\"\">Choose…</option>{options}</select>{words}</div>",
        id = named.id,
        label = named.label,
    )
}

fn delivery(visit: &Visit, chosen: &str, goods: u32) -> String {
    let look = visit.look();
    [(look.standard, "standard", false), (look.express, "express", true)]
        .into_iter()
        .map(|(named, code, express)| {
            let checked = if (chosen == "express") == express { " checked" } else { "" };
            let price = match shipping(goods, express) {
                0 => "free".to_owned(),
                cents => money(cents),
            };
            format!(
                "<div class=\"choice\"><input id=\"{id}\" type=\"radio\" name=\"delivery\" value=\"{code}\"{checked}>\
                 <label for=\"{id}\">{label} <span>{price}</span></label></div>",
                id = named.id,
                label = named.label,
            )
        })
        .collect()
}

fn terms(named: Named, accepted: bool, error: Option<&str>) -> String {
    let (wrong, words) = match error {
        Some(error) => (
            format!(" aria-invalid=\"true\" aria-describedby=\"{}-error\"", named.id),
            format!("<p class=\"field-error\" id=\"{}-error\">{error}</p>", named.id),
        ),
        None => (String::new(), String::new()),
    };
    format!(
        "<div class=\"choice\"><input id=\"{id}\" type=\"checkbox\" name=\"terms\" value=\"yes\"{checked}{wrong}>\
         <label for=\"{id}\">{label}</label>{words}</div>",
        id = named.id,
        label = named.label,
        checked = if accepted { " checked" } else { "" },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(change: (&str, &str)) -> Typed {
        let mut typed: Typed = [
            ("name", "Ada Lindqvist"),
            ("email", "ada@example.com"),
            ("street", "Storgata 4"),
            ("postcode", "1767"),
            ("city", "Halden"),
            ("country", "NO"),
            ("terms", "yes"),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
        typed.insert(change.0.to_owned(), change.1.to_owned());
        typed
    }

    #[test]
    fn a_complete_form_has_no_faults() {
        assert!(check(&typed(("company", ""))).is_empty());
    }

    #[test]
    fn each_field_is_checked_by_itself() {
        for (name, bad) in [
            ("name", " "),
            ("email", "ada"),
            ("email", "ada@home"),
            ("email", "a da@example.com"),
            ("street", ""),
            ("postcode", "no"),
            ("city", ""),
            ("country", "XX"),
            ("terms", ""),
        ] {
            let faults = check(&typed((name, bad)));
            assert_eq!(faults.keys().copied().collect::<Vec<_>>(), [name], "{bad:?}");
        }
        assert!(check(&typed(("phone", &"1".repeat(101)))).contains_key("phone"));
    }
}
