import { goTool } from './go-tool.ts';
import { agentsSource, goCommands } from './sources.ts';

/** The lab's own small programs: the application in the pods and the prober. */
export const agents = goTool({
  name: 'agents',
  label: 'Lab programs',
  typicalSeconds: 15,
  source: agentsSource,
  programs: () => goCommands(agentsSource).map((name) => `./cmd/${name}`),
  fix: 'The programs under lab/agents must compile.',
});
