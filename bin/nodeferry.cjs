#!/usr/bin/env node
// JavaScript of long ago: whatever Node it is, it reads this far, and says what is needed instead of what it can't read.
'use strict';
var version = process.versions.node.split('.').map(Number);
if (version[0] < 22 || (version[0] === 22 && version[1] < 19)) {
  process.stderr.write('nodeferry needs Node.js 22.19 or later; this is ' + process.version + '.\n');
  process.exit(1);
}
require('./start.cjs');
