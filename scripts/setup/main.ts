import { ensureTools } from './ensure.ts';
import { SetupError } from './errors.ts';
import { toolPaths } from './paths.ts';

try {
  await ensureTools({ need: ['packages', 'temporal', 'agents', 'kubernetes', 'krew', 'oauth2-proxy'] });
  console.error('nodeferry: everything is set up.');
  console.log(JSON.stringify(toolPaths(), undefined, 2));
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(`nodeferry: ${error.message}`);
  process.exitCode = 1;
}
