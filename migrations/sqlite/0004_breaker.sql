-- Circuit breakers: the fleet's and those of sites. One that is closed and has counted nothing lately needs no
-- row. The machine is the whole state; the other columns repeat of it what is looked up.

CREATE TABLE breakers (
    scope    TEXT   NOT NULL PRIMARY KEY, -- the site's key; '' is the fleet's
    state    TEXT   NOT NULL, -- closed, open, half_open
    since    BIGINT NOT NULL,
    until_at BIGINT,          -- when it changes by itself
    permits  BIGINT NOT NULL, -- probes that it would still let go while half-open
    by_hand  BIGINT NOT NULL, -- 1: a person has set it as it is
    stale_at BIGINT NOT NULL, -- when a closed one may be forgotten
    machine  TEXT   NOT NULL  -- JSON
) WITHOUT ROWID;
CREATE INDEX breakers_due ON breakers (until_at) WHERE until_at IS NOT NULL;
CREATE INDEX breakers_shut ON breakers (since) WHERE state <> 'closed';
CREATE INDEX breakers_stale ON breakers (stale_at) WHERE state = 'closed';
