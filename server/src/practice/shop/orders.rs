//! The orders, behind sign-in.

use axum::{
    extract::Path,
    http::header,
    response::{IntoResponse, Response},
};

use crate::practice::{
    html::{Page, escape, money, test_id},
    visit::Visit,
};

pub(super) async fn list(visit: Visit) -> Response {
    let session = visit.session();
    if !session.signed_in {
        return visit.see("/sign-in?next=/orders");
    }
    let look = visit.look();
    let rows: String = session
        .all_orders()
        .iter()
        .map(|order| {
            format!(
                "<tr{test}><th scope=\"row\" class=\"{number_class}\"><a href=\"/orders/{number}\">{number}</a></th>\
                 <td class=\"{date_class}\">{date}</td><td class=\"{status_class}\">{status}</td>\
                 <td class=\"{total_class} number\">{total}</td></tr>",
                test = test_id(&visit, "order"),
                number_class = look.cell_number,
                number = order.number,
                date_class = look.cell_date,
                date = order.date,
                status_class = look.cell_status,
                status = order.status,
                total_class = look.cell_total,
                total = money(order.total_cents()),
            )
        })
        .collect();
    let export =
        format!("<p><a id=\"{}\" href=\"/orders/export.csv\">{}</a></p>", look.export.id, look.export.label);
    let table = format!(
        "<table id=\"{}\"><caption class=\"unseen\">Your orders, newest first</caption><thead><tr>\
         <th scope=\"col\">Number</th><th scope=\"col\">Date</th><th scope=\"col\">Status</th>\
         <th scope=\"col\" class=\"number\">Total</th></tr></thead><tbody>{rows}</tbody></table>",
        look.orders
    );
    let heading = look.orders_link.label;
    let body = format!("<h1>{heading}</h1>{}", visit.design.ordered(&table, &export));
    visit.page(Page::new(heading, body))
}

pub(super) async fn one(visit: Visit, Path(number): Path<String>) -> Response {
    let session = visit.session();
    if !session.signed_in {
        return visit.see("/sign-in?next=/orders");
    }
    let Some(order) = session.all_orders().into_iter().find(|order| order.number == number) else {
        return super::not_found(visit).await;
    };
    let look = visit.look();
    let rows: String = order
        .lines
        .iter()
        .map(|line| {
            let product = line.product();
            format!(
                "<tr{}><td>{}</td><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td>\
                 <td class=\"number\">{}</td></tr>",
                test_id(&visit, "order-line"),
                product.number,
                escape(&product.name),
                line.pieces,
                money(product.cents),
                money(line.cents())
            )
        })
        .collect();
    let body = format!(
        "<nav class=\"crumbs\" aria-label=\"Where you are\"><a href=\"/orders\">{back}</a> ›</nav>\
         <h1>Order {number}</h1><p>{date}: <span class=\"{status_class}\">{status}</span></p>\
         <table id=\"{table}\"><caption class=\"unseen\">What was ordered</caption><thead><tr><th scope=\"col\">Number</th>\
         <th scope=\"col\">Product</th><th scope=\"col\" class=\"number\">Pieces</th><th scope=\"col\" class=\"number\">Each</th>\
         <th scope=\"col\" class=\"number\">Sum</th></tr></thead><tbody>{rows}</tbody><tfoot>\
         <tr><th scope=\"row\" colspan=\"4\">Delivery</th><td class=\"number\">{shipping}</td></tr>\
         <tr><th scope=\"row\" colspan=\"4\">Total</th><td class=\"number {total_class}\">{total}</td></tr></tfoot></table>",
        back = look.orders_link.label,
        number = order.number,
        date = order.date,
        status_class = look.cell_status,
        status = order.status,
        table = look.order_lines,
        shipping = money(order.shipping_cents),
        total_class = look.cell_total,
        total = money(order.total_cents()),
    );
    visit.page(Page::new(format!("Order {}", order.number), body))
}

pub(super) async fn export(visit: Visit) -> Response {
    let session = visit.session();
    if !session.signed_in {
        return visit.see("/sign-in?next=/orders");
    }
    let mut csv = String::from("number,date,status,total\r\n");
    for order in session.all_orders() {
        let total = order.total_cents();
        csv.push_str(&format!(
            "{},{},{},{}.{:02}\r\n",
            order.number,
            order.date,
            order.status,
            total / 100,
            total % 100
        ));
    }
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"orders.csv\""),
    ];
    visit.finish((headers, csv).into_response())
}
