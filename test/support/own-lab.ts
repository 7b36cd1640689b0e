/** Test files that run at the same time have a lab each. Read before anything of the lab is loaded. */
const slot = process.env['VITEST_POOL_ID'] ?? '1';
process.env['NODEFERRY_LAB'] = slot === '1' ? '' : slot;
