-- Flows, tasks, attempts and evidence. Times are Unix milliseconds, flags 0 or 1, ids UUIDv7 as text.

CREATE TABLE flows (
    name         TEXT   NOT NULL,
    version      BIGINT NOT NULL,
    title        TEXT   NOT NULL,
    listed       BIGINT NOT NULL,
    content_hash TEXT   NOT NULL,
    recording    TEXT   NOT NULL,
    parameters   TEXT   NOT NULL,
    environment  TEXT   NOT NULL,
    domain       TEXT,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (name, version)
);
CREATE INDEX flows_by_content ON flows (name, content_hash, version);

-- One row per flow name, so that the list of flows is read by key.
CREATE TABLE flow_names (
    name          TEXT   NOT NULL PRIMARY KEY,
    newest        BIGINT NOT NULL,
    newest_listed BIGINT,
    listed_at     BIGINT
);
CREATE INDEX flow_names_listed ON flow_names (listed_at, name) WHERE newest_listed IS NOT NULL;

CREATE TABLE tasks (
    seq            INTEGER PRIMARY KEY,
    id             TEXT   NOT NULL UNIQUE,
    name           TEXT   NOT NULL,
    flow_name      TEXT   NOT NULL,
    flow_version   BIGINT NOT NULL,
    parameters     TEXT   NOT NULL,
    lane           TEXT   NOT NULL,
    priority       BIGINT NOT NULL,
    domain         TEXT   NOT NULL, -- '' where the flow has none
    account        TEXT,
    key            TEXT,
    body_hash      TEXT   NOT NULL,
    state          TEXT   NOT NULL,
    ready          BIGINT NOT NULL, -- 1: queued and its time has come
    order_key      BIGINT NOT NULL, -- the order in its lane: time of entry + priority * age step
    run_at         BIGINT NOT NULL, -- not started before
    wait           TEXT,            -- schedule or retry while queued and not yet due; else null
    deadline       BIGINT,
    max_attempts   BIGINT NOT NULL,
    timeout_s      BIGINT NOT NULL,
    attempts_spent BIGINT NOT NULL DEFAULT 0,
    attempt_number BIGINT NOT NULL DEFAULT 0,
    lost           BIGINT NOT NULL DEFAULT 0,
    crashes        BIGINT NOT NULL DEFAULT 0,
    alone          BIGINT NOT NULL DEFAULT 0, -- 1: runs alone in an instance once
    attempt        TEXT,            -- the attempt that runs
    lease_token    TEXT,
    lease_until    BIGINT,
    node           TEXT,
    cancel         BIGINT NOT NULL DEFAULT 0,
    result         TEXT,
    fault          TEXT,
    fault_class    TEXT,
    order_id       TEXT,
    retry_of       TEXT,
    batch          TEXT,
    not_before     BIGINT,
    created_at     BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL,
    ended_at       BIGINT,
    version        BIGINT NOT NULL DEFAULT 1
);
CREATE UNIQUE INDEX tasks_key ON tasks (key) WHERE key IS NOT NULL;
CREATE INDEX tasks_ready ON tasks (lane, domain, order_key, seq) WHERE ready = 1;
CREATE INDEX tasks_turn ON tasks (lane, order_key) WHERE ready = 1;
CREATE INDEX tasks_due ON tasks (run_at) WHERE wait IS NOT NULL;
CREATE INDEX tasks_deadline ON tasks (deadline) WHERE state = 'queued' AND deadline IS NOT NULL;
CREATE INDEX tasks_leased ON tasks (lease_until) WHERE state = 'running';
CREATE INDEX tasks_state ON tasks (state, seq);
CREATE INDEX tasks_flow ON tasks (flow_name, seq);
CREATE INDEX tasks_domain ON tasks (domain, seq);
CREATE INDEX tasks_class ON tasks (fault_class, seq) WHERE fault_class IS NOT NULL;
CREATE INDEX tasks_batch ON tasks (batch, seq) WHERE batch IS NOT NULL;

-- Words for the search: name, key and the parameters that are not private.
CREATE VIRTUAL TABLE task_words USING fts5 (words, content = '', contentless_delete = 1, tokenize = 'unicode61');

CREATE TABLE attempts (
    id            TEXT   NOT NULL PRIMARY KEY,
    task          TEXT   NOT NULL,
    number        BIGINT NOT NULL,
    started_at    BIGINT NOT NULL,
    ended_at      BIGINT,
    instance      TEXT,
    node          TEXT   NOT NULL,
    outcome       TEXT,
    fault         TEXT,
    rules         TEXT   NOT NULL DEFAULT '[]',
    timing        TEXT   NOT NULL,
    steps         TEXT   NOT NULL DEFAULT '[]',
    rescues       BIGINT NOT NULL DEFAULT 0,
    critical_step BIGINT,
    UNIQUE (task, number)
);

CREATE TABLE evidence (
    attempt    TEXT   NOT NULL,
    kind       TEXT   NOT NULL,
    digest     TEXT   NOT NULL,
    size       BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (attempt, kind)
);
CREATE INDEX evidence_by_digest ON evidence (digest);

-- What is kept of a site beside its tasks. A claim reads heads, never the tasks that are held.
CREATE TABLE sites (
    domain  TEXT   NOT NULL PRIMARY KEY,
    running BIGINT NOT NULL DEFAULT 0,
    held_by TEXT -- why its heads are held
);

-- The first ready task of each site in each lane.
CREATE TABLE heads (
    lane     TEXT   NOT NULL,
    domain   TEXT   NOT NULL,
    head_key BIGINT,
    waiting  BIGINT NOT NULL,
    held     BIGINT NOT NULL DEFAULT 0,
    clear_at BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (lane, domain)
) WITHOUT ROWID;
CREATE INDEX heads_ready ON heads (lane, held, head_key) WHERE head_key IS NOT NULL;
CREATE INDEX heads_held ON heads (clear_at) WHERE held = 1;

-- Counts that pages show, kept by the triggers below.
CREATE TABLE task_counts (state TEXT NOT NULL PRIMARY KEY, n BIGINT NOT NULL);
INSERT INTO task_counts VALUES
    ('queued', 0), ('running', 0), ('succeeded', 0), ('failed', 0), ('escalated', 0), ('quarantined', 0),
    ('cancelled', 0);
CREATE TABLE lane_counts (lane TEXT NOT NULL PRIMARY KEY, ready BIGINT NOT NULL, held BIGINT NOT NULL);
INSERT INTO lane_counts VALUES ('main', 0, 0), ('rerun', 0, 0), ('proof', 0, 0);

CREATE TRIGGER tasks_inserted AFTER INSERT ON tasks BEGIN
    UPDATE task_counts SET n = n + 1 WHERE state = NEW.state;
    UPDATE lane_counts SET ready = ready + NEW.ready, held = held + (1 - NEW.ready)
        WHERE lane = NEW.lane AND NEW.state = 'queued';
END;
CREATE TRIGGER tasks_became_ready_new AFTER INSERT ON tasks WHEN NEW.ready = 1 BEGIN
    INSERT INTO heads (lane, domain, head_key, waiting) VALUES (NEW.lane, NEW.domain, NEW.order_key, 1)
        ON CONFLICT (lane, domain) DO UPDATE SET
            head_key = min(coalesce(head_key, NEW.order_key), NEW.order_key), waiting = waiting + 1;
END;
CREATE TRIGGER tasks_became_ready AFTER UPDATE OF ready ON tasks WHEN OLD.ready = 0 AND NEW.ready = 1 BEGIN
    INSERT INTO heads (lane, domain, head_key, waiting) VALUES (NEW.lane, NEW.domain, NEW.order_key, 1)
        ON CONFLICT (lane, domain) DO UPDATE SET
            head_key = min(coalesce(head_key, NEW.order_key), NEW.order_key), waiting = waiting + 1;
END;
CREATE TRIGGER tasks_no_longer_ready AFTER UPDATE OF ready ON tasks WHEN OLD.ready = 1 AND NEW.ready = 0 BEGIN
    UPDATE heads SET waiting = waiting - 1, head_key = (
        SELECT order_key FROM tasks WHERE ready = 1 AND lane = OLD.lane AND domain = OLD.domain
        ORDER BY order_key LIMIT 1
    ) WHERE lane = OLD.lane AND domain = OLD.domain;
END;
CREATE TRIGGER tasks_moved AFTER UPDATE OF order_key ON tasks WHEN OLD.ready = 1 AND NEW.ready = 1 BEGIN
    UPDATE heads SET head_key = (
        SELECT order_key FROM tasks WHERE ready = 1 AND lane = NEW.lane AND domain = NEW.domain
        ORDER BY order_key LIMIT 1
    ) WHERE lane = NEW.lane AND domain = NEW.domain;
END;
CREATE TRIGGER tasks_changed_state AFTER UPDATE OF state ON tasks WHEN OLD.state <> NEW.state BEGIN
    UPDATE task_counts SET n = n - 1 WHERE state = OLD.state;
    UPDATE task_counts SET n = n + 1 WHERE state = NEW.state;
END;
CREATE TRIGGER tasks_changed_lane_load AFTER UPDATE OF state, ready, lane ON tasks
    WHEN OLD.state = 'queued' OR NEW.state = 'queued'
BEGIN
    UPDATE lane_counts SET ready = ready - OLD.ready, held = held - (1 - OLD.ready)
        WHERE lane = OLD.lane AND OLD.state = 'queued';
    UPDATE lane_counts SET ready = ready + NEW.ready, held = held + (1 - NEW.ready)
        WHERE lane = NEW.lane AND NEW.state = 'queued';
END;
CREATE TRIGGER tasks_began AFTER UPDATE OF state ON tasks WHEN OLD.state <> 'running' AND NEW.state = 'running' BEGIN
    INSERT INTO sites (domain, running) VALUES (NEW.domain, 1)
        ON CONFLICT (domain) DO UPDATE SET running = running + 1;
END;
CREATE TRIGGER tasks_ended AFTER UPDATE OF state ON tasks WHEN OLD.state = 'running' AND NEW.state <> 'running' BEGIN
    UPDATE sites SET running = running - 1 WHERE domain = NEW.domain;
END;
CREATE TRIGGER tasks_deleted AFTER DELETE ON tasks BEGIN
    UPDATE task_counts SET n = n - 1 WHERE state = OLD.state;
    DELETE FROM task_words WHERE rowid = OLD.seq;
END;
CREATE INDEX heads_waiting ON heads (waiting);

-- What happened in each minute: one row per minute and name, so that a chart never counts tasks.
CREATE TABLE minutes (
    minute BIGINT NOT NULL, -- Unix milliseconds / 60000
    name   TEXT   NOT NULL,
    n      BIGINT NOT NULL,
    PRIMARY KEY (minute, name)
) WITHOUT ROWID;

-- States of rooms that outlive a restart, as JSON, by the room's name.
CREATE TABLE kept (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL);
