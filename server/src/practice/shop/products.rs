//! Home, lists, search and the page of one product.

use axum::{extract::Path, response::Response};

use crate::practice::{
    catalog::{self, CATEGORIES, Product, Sort},
    html::{Page, escape, money, test_id},
    picture,
    session::MOST_PIECES,
    visit::Visit,
};

/// Products on one page of a list.
const PER_PAGE: usize = 12;

pub(super) async fn home(visit: Visit) -> Response {
    let departments: String = CATEGORIES
        .iter()
        .filter_map(|category| {
            let product = catalog::all().iter().find(|product| product.category.slug == category.slug)?;
            Some(format!(
                "<li><a href=\"/products?category={}\">{}<span>{}</span></a></li>",
                category.slug,
                picture::product(product, None),
                escape(category.name)
            ))
        })
        .collect();
    let chosen: Vec<&Product> = catalog::all().iter().skip(2).step_by(9).take(6).collect();
    let body = format!(
        "<section class=\"hero\"><h1>Light to work by, tools to keep</h1>\
         <p>Lamps and hand tools from a small shop in Halden. Sent within a day, taken back within sixty.</p>\
         <a class=\"button\" href=\"/products\">See everything we have</a></section>\
         <h2>Departments</h2><ul class=\"departments\">{departments}</ul><h2>This week’s choice</h2>{}",
        items(&visit, &chosen, "choice")
    );
    visit.page(Page::new("", body))
}

pub(super) async fn list(visit: Visit) -> Response {
    let category = catalog::category(visit.query("category"));
    let heading = category.map_or("Everything we have", |category| category.name);
    let found = catalog::search("", category, Sort::parse(visit.query("sort")));
    let kept = category.map(|category| ("category", category.slug));
    let body = format!("<h1>{}</h1>{}", escape(heading), listing(&visit, "/products", kept, &found));
    visit.page(Page::new(heading, body))
}

pub(super) async fn search(visit: Visit) -> Response {
    let query = visit.query("q").to_owned();
    if query.is_empty() {
        let body = "<h1>Search</h1><p id=\"summary\">Type what you are looking for into the field above.</p>";
        return visit.page(Page::new("Search", body));
    }
    let found = catalog::search(&query, None, Sort::parse(visit.query("sort")));
    let listed = if found.is_empty() {
        "<p id=\"summary\">Nothing matches. Try a shorter word, such as <a href=\"/search?q=lamp\">lamp</a>.</p>".to_owned()
    } else {
        listing(&visit, "/search", Some(("q", &query)), &found)
    };
    let body = format!("<h1>Results for “{}”</h1>{listed}", escape(&query));
    visit.page(Page::new("Search results", body))
}

/// A list with its summary, its order and its pages.
fn listing(visit: &Visit, path: &str, kept: Option<(&str, &str)>, found: &[&'static Product]) -> String {
    let pages = found.len().div_ceil(PER_PAGE).max(1);
    let page = visit.query("page").parse::<usize>().unwrap_or(1).clamp(1, pages);
    let start = (page - 1) * PER_PAGE;
    let shown = &found[start..found.len().min(start + PER_PAGE)];
    let sort = visit.query("sort");
    let address = |page: usize| {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(kept);
        if !sort.is_empty() {
            query.append_pair("sort", sort);
        }
        if page > 1 {
            query.append_pair("page", &page.to_string());
        }
        escape(&format!("{path}?{}", query.finish()))
    };
    let hidden = kept.map_or(String::new(), |(name, value)| {
        format!("<input type=\"hidden\" name=\"{name}\" value=\"{}\">", escape(value))
    });
    let options: String = Sort::ALL
        .iter()
        .map(|(_, code, words)| {
            let chosen = if *code == sort { " selected" } else { "" };
            format!("<option value=\"{code}\"{chosen}>{words}</option>")
        })
        .collect();
    format!(
        "<div class=\"list-head\"><p id=\"summary\"{test_id}>{from}–{to} of {all} products</p>\
         <form action=\"{path}\" method=\"get\">{hidden}<label for=\"sort\">Order by</label>\
         <select id=\"sort\" name=\"sort\">{options}</select><button class=\"quiet\" type=\"submit\">Apply</button></form></div>\
         <h2 class=\"unseen\">Products</h2>{items}{pager}",
        test_id = test_id(visit, "summary"),
        from = start + 1,
        to = start + shown.len(),
        all = found.len(),
        items = items(visit, shown, "result"),
        pager = pager(page, pages, address),
    )
}

fn pager(page: usize, pages: usize, address: impl Fn(usize) -> String) -> String {
    if pages == 1 {
        return String::new();
    }
    let step =
        |to: usize, rel: &str, words: &str| format!("<a rel=\"{rel}\" href=\"{}\">{words}</a>", address(to));
    let numbers: String = (1..=pages)
        .map(|number| {
            if number == page {
                format!("<li><span aria-current=\"page\">{number}</span></li>")
            } else {
                format!("<li><a href=\"{}\" aria-label=\"Page {number}\">{number}</a></li>", address(number))
            }
        })
        .collect();
    format!(
        "<nav class=\"pager\" aria-label=\"Pages\">{}<ol>{numbers}</ol>{}</nav>",
        if page > 1 { step(page - 1, "prev", "Previous page") } else { String::new() },
        if page < pages { step(page + 1, "next", "Next page") } else { String::new() },
    )
}

/// Products as a list of cards; `test` is the cards' test id.
pub(super) fn items(visit: &Visit, products: &[&Product], test: &str) -> String {
    let look = visit.look();
    let items: String = products
        .iter()
        .map(|product| {
            format!(
                "<li class=\"{item}\"{test}>{picture}<h3><a class=\"{name_class}\" href=\"/products/{slug}\">{name}</a></h3>\
                 <p class=\"finish\">{finish}</p><p class=\"{price_class}\">{price}</p></li>",
                item = look.item,
                test = test_id(visit, test),
                picture = picture::product(product, None),
                name_class = look.item_name,
                slug = product.slug,
                name = escape(&product.name),
                finish = product.finish,
                price_class = look.price,
                price = money(product.cents),
            )
        })
        .collect();
    format!("<ul class=\"{}\">{items}</ul>", look.list)
}

pub(super) async fn one(visit: Visit, Path(slug): Path<String>) -> Response {
    let Some(product) = catalog::find(&slug) else { return super::not_found(visit).await };
    let look = visit.look();
    let stock = match product.stock {
        0 => "Back in stock in two weeks".to_owned(),
        few @ 1..=4 => format!("Only {few} left"),
        _ => "In stock, sent today".to_owned(),
    };
    let buy = buy_box(&visit, product);
    let facts = format!(
        "<h1>{name}</h1><p class=\"rating\">{stars} of 5 <span>({reviews} reviews)</span></p>\
         <p class=\"{price_class} big\" id=\"{price_class}\">{price}</p><p class=\"stock\">{stock}</p>",
        name = escape(&product.name),
        stars = format_args!("{}.{}", product.rating / 10, product.rating % 10),
        reviews = product.reviews,
        price_class = look.price,
        price = money(product.cents),
    );
    let about = format!(
        "<p>{about}</p><table class=\"facts\"><caption>At a glance</caption><tbody>\
         <tr><th scope=\"row\">Number</th><td>{number}</td></tr><tr><th scope=\"row\">Finish</th><td>{finish}</td></tr>\
         <tr><th scope=\"row\">Department</th><td><a href=\"/products?category={category}\">{category_name}</a></td></tr>\
         </tbody></table>",
        about = escape(&product.about),
        number = product.number,
        finish = product.finish,
        category = product.category.slug,
        category_name = product.category.name,
    );
    // The redesign puts the buying before the facts.
    let column =
        if visit.design.second { format!("{buy}{facts}{about}") } else { format!("{facts}{buy}{about}") };
    let similar: Vec<&Product> = catalog::search("", Some(product.category), Sort::Shop)
        .into_iter()
        .filter(|other| other.slug != product.slug)
        .take(3)
        .collect();
    let body = format!(
        "<nav class=\"crumbs\" aria-label=\"Where you are\"><a href=\"/\">Start</a> › \
         <a href=\"/products?category={}\">{}</a></nav><div class=\"product\">{}<div>{column}</div></div>\
         <h2>Others like it</h2>{}",
        product.category.slug,
        product.category.name,
        picture::product(product, Some(&product.name)),
        items(&visit, &similar, "similar")
    );
    visit.page(Page::new(product.name.clone(), body))
}

fn buy_box(visit: &Visit, product: &Product) -> String {
    let look = visit.look();
    let (buy, wish) = visit.design.pair(look.add_to_cart, look.add_to_wishes);
    let wish_button = format!(
        "<button id=\"{}\" class=\"quiet\" type=\"submit\" formaction=\"/wish-list\">{}</button>",
        wish.id, wish.label
    );
    let buy_button =
        format!("<button id=\"{}\" type=\"submit\"{}>{}</button>", buy.id, test_id(visit, "buy"), buy.label);
    let (pieces, buttons) = if visit.design.remove {
        (String::new(), format!("<p>Sold in our store in Halden only, for the time being.</p>{wish_button}"))
    } else {
        let pieces = format!(
            "<label for=\"{id}\">{label}</label><input id=\"{id}\" name=\"pieces\" type=\"number\" value=\"1\" min=\"1\" \
             max=\"{MOST_PIECES}\">",
            id = look.pieces.id,
            label = look.pieces.label,
        );
        (pieces, visit.design.ordered(&buy_button, &wish_button))
    };
    format!(
        "<form class=\"buy\" action=\"/cart\" method=\"post\"><input type=\"hidden\" name=\"product\" value=\"{}\">\
         {pieces}<div class=\"buttons\">{buttons}</div></form>",
        product.slug
    )
}
