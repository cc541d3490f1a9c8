//! Accessible names and roles are those that Chrome records.

mod runner_support;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use server::cdp::Session;
use server::cdp::ask::{ask, tell};
use server::pool::ContextOptions;

use runner_support::{Bench, html, on_chrome, result};

/// Elements whose names come about in every way that recordings meet; those with an id are asked for.
const SAMPLES: &str = "
<style>#before::before { content: 'New ' }</style>
<button id=plain>Save</button><button id=nested>Add <b>to</b> <i>cart</i></button>
<button id=label aria-label='Close dialog'>x</button><button id=title title='From the title'></button>
<button id=icon><svg aria-hidden=true width=9 height=9></svg><span style='display:none'>hidden</span> Icon</button>
<button id=image><img alt='The logo' width=9 height=9></button><button id=before>message</button>
<button id=breaks>Two<br>lines</button><button id=blocks><div>First</div><div>Second</div></button>
<a id=link href='/x'>A  link\n with space</a><a id=heading_link href='/y'><h3>Linked heading</h3></a>
<h2 id=h2>Section <small>small</small></h2>
<label for=by_for>By for</label><input id=by_for><label>Wrapped <input id=wrapped></label>
<input id=placeholder placeholder='Search here'><input id=search type=search aria-label=Find>
<span id=l1>Given</span> <span id=l2>names</span><input id=by_ids aria-labelledby='l1 l2'>
<label><input id=box type=checkbox> Agree to all</label><label>One <input id=radio type=radio></label>
<input id=submit type=submit><input id=named_submit type=submit value='Send it'><input id=button type=button value=Press>
<label for=select>Country</label><select id=select><option>CH</option><option>DE</option></select>
<textarea id=area aria-label=Remarks></textarea><input id=range type=range aria-label=Volume><input id=number type=number title=Amount>
<img id=img alt='A cat' width=20 height=20><div id=role role=button>Div button</div><div id=tab role=tab>First tab</div>
<div id=menu role=menuitem>Open file</div><div id=switch role=switch aria-checked=true>Dark</div>
<nav id=nav aria-label=Main>n</nav><table><tr><th id=th>Price</th><td id=td>5</td></tr></table>
<summary>s</summary><details><summary id=summary>More</summary>text</details>
<div id=labelled_group role=group aria-label='A group'>g</div><output id=output aria-label=Sum>3</output>
<fieldset id=fieldset><legend>Legend</legend></fieldset><progress id=progress aria-label=Done value=1 max=2></progress>
<button id=hidden_label aria-labelledby=hl>y</button><span id=hl hidden>From hidden</span>
<label for=in_label>Pay <input id=amount value=5 aria-label=inner> now</label><input id=in_label type=checkbox>
";

#[derive(Debug, Deserialize)]
struct Tree {
    nodes: Vec<Node>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    #[serde(default)]
    ignored: bool,
    role: Option<Text>,
    name: Option<Text>,
    #[serde(rename = "backendDOMNodeId")]
    element: Option<i64>,
}

#[derive(Debug, Deserialize)]
struct Text {
    #[serde(default)]
    value: Value,
}

#[derive(Debug, Deserialize)]
struct Described {
    node: DomNode,
}

#[derive(Debug, Deserialize)]
struct DomNode {
    #[serde(default)]
    attributes: Vec<String>,
}

/// Role and name of every element with an id, by Chrome's own reckoning.
async fn by_chrome(page: &Session) -> BTreeMap<String, (String, String)> {
    let tree = page.call(ask::<Tree>("Accessibility.getFullAXTree", json!({}))).await.expect("a tree");
    let mut found = BTreeMap::new();
    let text = |text: &Option<Text>| text.as_ref().and_then(|t| t.value.as_str()).unwrap_or("").to_owned();
    for node in tree.nodes.iter().filter(|node| !node.ignored) {
        let Some(element) = node.element else { continue };
        let describe = ask::<Described>("DOM.describeNode", json!({"backendNodeId": element}));
        let Ok(described) = page.call(describe).await else { continue };
        let id = described.node.attributes.chunks(2).find(|pair| pair[0] == "id").map(|pair| pair[1].clone());
        if let Some(id) = id {
            found.insert(id, (text(&node.role), text(&node.name)));
        }
    }
    found
}

#[test]
fn every_element_is_found_by_the_name_and_role_that_chrome_gives_it() {
    on_chrome(async {
        let bench = Bench::start(|_| html(SAMPLES)).await;
        let mut lease = bench.pool.open_context(ContextOptions::default()).await.expect("a context");
        let page = lease.open_page("about:blank").await.expect("a page");
        page.resume().expect("running");
        let session = &page.session;
        session.call(tell("Page.enable", json!({}))).await.expect("enabled");
        let mut loaded = session.events(["Page.loadEventFired"], 4);
        session.call(tell("Page.navigate", json!({"url": bench.site.address}))).await.expect("gone to");
        loaded.next().await.expect("loaded");
        let wanted = by_chrome(session).await;
        lease.close().await;
        assert!(wanted.len() > 35, "{wanted:?}");

        let mut steps = vec![json!({"type": "navigate", "url": "{site}/"})];
        let named: Vec<_> = wanted.iter().filter(|(_, (_, name))| !name.is_empty()).collect();
        assert!(named.len() > 30, "{named:?}");
        for (id, (role, name)) in &named {
            let chain = format!("aria/{name}[role=\"{role}\"]");
            steps.push(json!({"type": "customStep", "name": "extract", "timeout": 100, "parameters": {
                "name": id, "selectors": [[chain], ["body"]], "property": "id"}}));
        }
        let report = bench.run(json!(steps)).await;
        let result = result(&report);
        let wrong: Vec<_> = named.iter().filter(|(id, _)| result[id.as_str()] != id.as_str()).collect();
        assert!(wrong.is_empty(), "not found by these names: {wrong:#?}");
    });
}
