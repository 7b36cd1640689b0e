import { goTool } from './go-tool.ts';
import { oauth2ProxySource } from './sources.ts';

/** The proxy that signs users in to the web UI, with which its settings are tested. */
export const oauth2Proxy = goTool({
  name: 'oauth2-proxy',
  label: 'oauth2-proxy',
  typicalSeconds: 45,
  source: oauth2ProxySource,
  programs: () => ['github.com/oauth2-proxy/oauth2-proxy/v7'],
  fix: 'Access to a Go module proxy (GOPROXY) is needed once.',
});
