-- PostgreSQL's image runs this once, when the volume is empty: the handler gets a role and a database of its own.
\set password `cat /run/secrets/database-password`
CREATE ROLE homeport LOGIN PASSWORD :'password';
CREATE DATABASE homeport OWNER homeport;
