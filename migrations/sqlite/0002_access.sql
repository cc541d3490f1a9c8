-- People, tokens, sessions and sign-in links. Secrets are kept as SHA-256 digests, passwords as Argon2id.

CREATE TABLE users (
    id            TEXT   NOT NULL PRIMARY KEY,
    name          TEXT   NOT NULL,
    name_key      TEXT   NOT NULL UNIQUE, -- the name in lower case: two names that differ in case are one
    role          TEXT   NOT NULL,
    password_hash TEXT,                   -- absent until the first sign-in link is spent
    disabled      BIGINT NOT NULL DEFAULT 0,
    created_at    BIGINT NOT NULL
);

CREATE TABLE tokens (
    id           TEXT   NOT NULL PRIMARY KEY,
    name         TEXT   NOT NULL,
    role         TEXT   NOT NULL,
    hash         BLOB   NOT NULL UNIQUE,
    created_at   BIGINT NOT NULL,
    last_used_at BIGINT
);

CREATE TABLE sessions (
    hash       BLOB   NOT NULL PRIMARY KEY,
    user_id    TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE once_links (
    hash       BLOB   NOT NULL PRIMARY KEY,
    user_id    TEXT, -- absent: makes the first admin
    expires_at BIGINT NOT NULL,
    spent_at   BIGINT
);
CREATE INDEX once_links_expiry ON once_links (expires_at);
