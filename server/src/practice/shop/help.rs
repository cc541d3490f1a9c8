//! Help.

use axum::response::Response;

use crate::practice::{html::Page, visit::Visit};

pub(super) async fn help(visit: Visit) -> Response {
    visit.page(Page::new("Help", HELP))
}

pub(super) async fn delivery(visit: Visit) -> Response {
    visit.page(Page::new("Delivery and returns", DELIVERY))
}

const HELP: &str = "<div class=\"prose\"><h1>Help</h1>\
<details open><summary>How do I find something?</summary><p>Type a word into the search above, or open a department. \
The number on an old bill (HL-…) works too.</p></details>\
<details><summary>How do I order?</summary><p>Put what you want into the cart, go to the checkout, say where it goes, \
and place the order. You need no account.</p></details>\
<details><summary>Where is my order?</summary><p>Sign in and open your orders: each says whether it is on its way.</p></details>\
<details><summary>What is this site for?</summary><p>For practice. It is a shop in which nothing can be bought: \
record flows of it, run them, and change its design on the <a href=\"/control\">control page</a> to see what breaks. \
The awkward pages are <a href=\"/trouble\">listed by themselves</a>.</p></details>\
<p>More about <a href=\"/help/delivery\">delivery and returns</a>.</p></div>";

const DELIVERY: &str = "<div class=\"prose\"><h1>Delivery and returns</h1>\
<table><caption>What sending costs</caption><thead><tr><th scope=\"col\">How</th><th scope=\"col\">When</th>\
<th scope=\"col\" class=\"number\">Costs</th></tr></thead><tbody>\
<tr><th scope=\"row\">Standard</th><td>3 to 5 days</td><td class=\"number\">€4.90, free from €80</td></tr>\
<tr><th scope=\"row\">Express</th><td>next day</td><td class=\"number\">€12.90</td></tr></tbody></table>\
<h2>Returns</h2><p>Sixty days, no questions. Lamps with their bulbs, tools without rust.</p></div>";
