-- Work orders, rules and baselines.

CREATE TABLE orders (
    seq          INTEGER PRIMARY KEY,
    id           TEXT   NOT NULL UNIQUE,
    -- What its failures have in common; '' where there is none.
    flow         TEXT   NOT NULL,
    step_key     TEXT   NOT NULL,
    domain       TEXT   NOT NULL,
    class        TEXT   NOT NULL,
    -- Of the newest failure, for showing.
    step         BIGINT,
    step_words   TEXT,
    flow_version BIGINT NOT NULL,
    fault        TEXT   NOT NULL,
    severity     BIGINT NOT NULL, -- 0 low, 1 medium, 2 high
    due_at       BIGINT NOT NULL,
    occurrences  BIGINT NOT NULL DEFAULT 1,
    waiting      BIGINT NOT NULL DEFAULT 0, -- escalated tasks that wait on it, kept by the triggers below
    closed       BIGINT NOT NULL DEFAULT 0,
    assigned_to  TEXT,
    claim_token  TEXT,
    claim_holder TEXT,
    claim_name   TEXT,
    claim_until  BIGINT,
    draft        TEXT,
    conclusion   TEXT,
    rule         TEXT,
    opened_at    BIGINT NOT NULL,
    last_at      BIGINT NOT NULL,
    closed_at    BIGINT,
    version      BIGINT NOT NULL DEFAULT 1
);
-- One open order of a group: the next failure joins it.
CREATE UNIQUE INDEX orders_group ON orders (flow, step_key, domain, class) WHERE closed = 0;
CREATE INDEX orders_closed ON orders (closed, seq);
CREATE INDEX orders_flow ON orders (flow, seq);
CREATE INDEX orders_domain ON orders (domain, seq);
CREATE INDEX orders_claims ON orders (claim_until) WHERE claim_until IS NOT NULL;

-- The tasks that came together in an order, each with its newest failed attempt there. They stay on record
-- when they have gone on.
CREATE TABLE order_tasks (
    order_id TEXT   NOT NULL,
    task     TEXT   NOT NULL,
    attempt  TEXT   NOT NULL,
    at       BIGINT NOT NULL,
    PRIMARY KEY (order_id, task)
) WITHOUT ROWID;
CREATE INDEX order_tasks_newest ON order_tasks (order_id, at, task);

CREATE TABLE order_notes (
    id       TEXT   NOT NULL PRIMARY KEY,
    order_id TEXT   NOT NULL,
    at       BIGINT NOT NULL,
    author   TEXT   NOT NULL,
    text     TEXT   NOT NULL
);
CREATE INDEX order_notes_of ON order_notes (order_id, id);

CREATE INDEX tasks_order ON tasks (order_id) WHERE state = 'escalated' AND order_id IS NOT NULL;

CREATE TRIGGER tasks_left_order AFTER UPDATE OF state, order_id ON tasks
    WHEN OLD.state = 'escalated' AND OLD.order_id IS NOT NULL
        AND (NEW.state <> 'escalated' OR NEW.order_id IS NOT OLD.order_id)
BEGIN
    UPDATE orders SET waiting = waiting - 1 WHERE id = OLD.order_id;
END;
CREATE TRIGGER tasks_joined_order AFTER UPDATE OF state, order_id ON tasks
    WHEN NEW.state = 'escalated' AND NEW.order_id IS NOT NULL
        AND (OLD.state <> 'escalated' OR OLD.order_id IS NOT NEW.order_id)
BEGIN
    UPDATE orders SET waiting = waiting + 1 WHERE id = NEW.order_id;
END;

-- How many orders are not closed.
CREATE TABLE order_counts (n BIGINT NOT NULL);
INSERT INTO order_counts VALUES (0);
CREATE TRIGGER orders_opened AFTER INSERT ON orders BEGIN
    UPDATE order_counts SET n = n + 1;
END;
CREATE TRIGGER orders_turned AFTER UPDATE OF closed ON orders WHEN OLD.closed <> NEW.closed BEGIN
    UPDATE order_counts SET n = n + OLD.closed - NEW.closed;
END;

CREATE TABLE rules (
    seq          INTEGER PRIMARY KEY,
    id           TEXT   NOT NULL UNIQUE,
    state        TEXT   NOT NULL,
    unproven     BIGINT NOT NULL DEFAULT 0,
    domain       TEXT   NOT NULL, -- '' for flows without a site
    flow         TEXT   NOT NULL, -- '' for every flow
    step         BIGINT,
    class        TEXT,
    step_key     TEXT,
    action       TEXT   NOT NULL,
    canary       DOUBLE PRECISION NOT NULL DEFAULT 1,
    origin_order TEXT,
    author       TEXT   NOT NULL,
    changed      TEXT,
    hits         BIGINT NOT NULL DEFAULT 0,
    successes    BIGINT NOT NULL DEFAULT 0,
    failures     BIGINT NOT NULL DEFAULT 0,
    last_used_at BIGINT,
    created_at   BIGINT NOT NULL,
    version      BIGINT NOT NULL DEFAULT 1
);
CREATE INDEX rules_active ON rules (flow) WHERE state = 'active';
CREATE INDEX rules_state ON rules (state, seq);
CREATE INDEX rules_flow ON rules (flow, seq);
CREATE INDEX rules_domain ON rules (domain, seq);
CREATE INDEX rules_order ON rules (origin_order) WHERE origin_order IS NOT NULL;

-- The newest success with evidence of each flow version and set of rules, to compare failures with.
CREATE TABLE baselines (
    flow    TEXT   NOT NULL,
    version BIGINT NOT NULL,
    rules   TEXT   NOT NULL, -- ids in order, as JSON
    attempt TEXT   NOT NULL,
    at      BIGINT NOT NULL,
    PRIMARY KEY (flow, version, rules)
) WITHOUT ROWID;
CREATE INDEX baselines_newest ON baselines (flow, at);
