'use strict';
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

// A checkout runs from source, and may have a build of long ago beside it. A package contains no source.
const source = join(__dirname, '../client/main.ts');
const entry = existsSync(source) ? source : join(__dirname, '../dist/client/main.js');
void import(pathToFileURL(entry).href);
