-- Files of watched folders, so that none is judged twice.
CREATE TABLE watched (
  path      TEXT    NOT NULL PRIMARY KEY,
  size      INTEGER NOT NULL,
  modified  INTEGER NOT NULL, -- ns since 1970
  after_seq INTEGER NOT NULL, -- the last scan before it was looked at
  outcome   TEXT    NOT NULL  -- empty: it was begun
) STRICT;
