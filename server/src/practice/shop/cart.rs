//! The cart and the wish list.

use std::collections::HashMap;

use axum::{Form, response::Response};

use super::products;
use crate::practice::{
    catalog,
    html::{Page, escape, money, test_id},
    picture,
    session::{MOST_PIECES, shipping},
    visit::Visit,
};

pub(super) async fn add(mut visit: Visit, Form(form): Form<HashMap<String, String>>) -> Response {
    let Some(product) = form.get("product").and_then(|slug| catalog::find(slug)) else {
        return super::not_found(visit).await;
    };
    let pieces = form.get("pieces").and_then(|pieces| pieces.trim().parse().ok()).unwrap_or(1);
    visit.change(|session| session.add(product, pieces));
    visit.see("/cart")
}

pub(super) async fn update(mut visit: Visit, Form(form): Form<HashMap<String, String>>) -> Response {
    let slug = form.get("product").cloned().unwrap_or_default();
    let pieces = if form.contains_key("remove") {
        Some(0)
    } else {
        form.get("pieces").and_then(|pieces| pieces.trim().parse().ok())
    };
    if let Some(pieces) = pieces {
        visit.change(|session| session.set_pieces(&slug, pieces));
    }
    visit.see("/cart")
}

pub(super) async fn show(visit: Visit) -> Response {
    let look = visit.look();
    let session = visit.session();
    let heading = format!("Your {}", look.cart_link.label.to_lowercase());
    if session.cart.is_empty() {
        let body = format!(
            "<h1>{heading}</h1><p>There is nothing in it yet. <a href=\"/products\">Look around</a>.</p>"
        );
        return visit.page(Page::new(heading, body));
    }
    let rows: String = session
        .cart
        .iter()
        .map(|line| {
            let product = line.product();
            format!(
                "<tr{test}><td class=\"thumb\">{picture}</td><th scope=\"row\"><a href=\"/products/{slug}\">{name}</a></th>\
                 <td>{each}</td><td><form class=\"inline\" action=\"/cart/update\" method=\"post\">\
                 <input type=\"hidden\" name=\"product\" value=\"{slug}\">\
                 <input name=\"pieces\" type=\"number\" min=\"0\" max=\"{MOST_PIECES}\" value=\"{pieces}\" aria-label=\"Pieces of {name}\">\
                 <button class=\"quiet\" type=\"submit\">Update</button>\
                 <button class=\"quiet\" type=\"submit\" name=\"remove\" value=\"1\" aria-label=\"Remove {name}\">Remove</button></form></td>\
                 <td class=\"number\">{sum}</td></tr>",
                test = test_id(&visit, "cart-line"),
                picture = picture::product(product, None),
                slug = product.slug,
                name = escape(&product.name),
                each = money(product.cents),
                pieces = line.pieces,
                sum = money(line.cents()),
            )
        })
        .collect();
    let goods = session.goods_cents();
    let send = shipping(goods, false);
    let go = format!(
        "<a class=\"button\" id=\"{}\" href=\"/checkout\">{}</a>",
        look.to_checkout.id, look.to_checkout.label
    );
    let more = "<a href=\"/products\">Go on shopping</a>";
    let table = format!(
        "<table><caption class=\"unseen\">What is in it</caption><thead><tr><td></td><th scope=\"col\">Product</th>\
         <th scope=\"col\">Each</th><th scope=\"col\">Pieces</th><th scope=\"col\" class=\"number\">Sum</th></tr></thead>\
         <tbody>{rows}</tbody><tfoot><tr><th scope=\"row\" colspan=\"4\">Delivery</th><td class=\"number\">{}</td></tr>\
         <tr><th scope=\"row\" colspan=\"4\">Total</th><td class=\"number\" id=\"total\">{}</td></tr></tfoot></table>",
        if send == 0 { "free".to_owned() } else { money(send) },
        money(goods + send),
    );
    // The redesign moves the way to the checkout above the table.
    let body = if visit.design.second {
        format!("<h1>{heading}</h1><p class=\"buttons\">{more}{go}</p>{table}")
    } else {
        format!("<h1>{heading}</h1>{table}<p class=\"buttons\">{go}{more}</p>")
    };
    visit.page(Page::new(heading, body))
}

pub(super) async fn wish(mut visit: Visit, Form(form): Form<HashMap<String, String>>) -> Response {
    let Some(product) = form.get("product").and_then(|slug| catalog::find(slug)) else {
        return super::not_found(visit).await;
    };
    visit.change(|session| session.wish(product));
    visit.see("/wish-list")
}

pub(super) async fn wishes(visit: Visit) -> Response {
    let wishes: Vec<_> = visit.session().wishes.iter().filter_map(|slug| catalog::find(slug)).collect();
    let listed = if wishes.is_empty() {
        "<p>Nothing is on it yet.</p>".to_owned()
    } else {
        products::items(&visit, &wishes, "wish")
    };
    visit.page(Page::new("Wish list", format!("<h1>Your wish list</h1>{listed}")))
}
