#!/bin/sh
# Creates Temporal's two databases and brings their schemas up to date. Safe to run again: a step that is
# already done is skipped. The connection comes from SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER and SQL_PASSWORD.
set -eu

schemas=${SCHEMA_DIRECTORY:-/etc/temporal/schema/postgresql/v12}

# prepare DATABASE DIRECTORY: brings one database up to the newest version in the directory.
prepare() {
  echo "Preparing the database $1"
  temporal-sql-tool --database "$1" create
  temporal-sql-tool --database "$1" setup-schema --version 0.0
  temporal-sql-tool --database "$1" update-schema --schema-dir "$2"
}

prepare temporal "$schemas/temporal/versioned"
prepare temporal_visibility "$schemas/visibility/versioned"
