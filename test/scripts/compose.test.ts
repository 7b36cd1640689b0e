import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { searchAttributes } from '../../workflows/messages.ts';

interface Service {
  readonly image: string;
  readonly restart: string;
  readonly profiles?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const root = join(import.meta.dirname, '..', '..');
const compose = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8')) as ComposeFile;
const services = Object.entries(compose.services);

/** A service that does its work once and ends. */
const isOneShot = (service: Service) => service.restart === 'no';

describe('docker-compose.yml', () => {
  test('follows the compose specification', () => {
    // Published with compose-spec/compose-go v2.16.2 (Apache-2.0), schema/compose-spec.json.
    const schema = JSON.parse(readFileSync(join(import.meta.dirname, 'compose-spec.json'), 'utf8')) as object;
    // The schema names formats that plain JSON Schema does not define, such as `duration` in its own sense.
    const validate = new Ajv2020({ strict: false, validateFormats: false, allErrors: true }).compile(schema);

    validate(compose);

    expect(validate.errors).toBeNull();
  });

  test.each(services)('pins the image of %s to one version', (_name, { image }) => {
    expect(image).toMatch(/:v?\d+\.\d+(\.\d+)?(-[a-z0-9]+)?$/);
    expect(image).not.toContain('auto-setup');
  });

  test.each(services)('publishes the ports of %s on the loopback address only', (_name, { ports = [] }) => {
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  test.each(services.filter(([, service]) => !isOneShot(service)))(
    'knows whether %s is healthy and starts it again',
    (_name, service) => {
      expect(service.healthcheck?.test[0]).toBe('CMD');
      expect(service.restart).toBe('unless-stopped');
    },
  );

  test.each(services)('starts %s when what it depends on is finished or healthy', (_name, { depends_on = {} }) => {
    for (const [dependency, { condition }] of Object.entries(depends_on)) {
      const service = compose.services[dependency];
      expect(service, dependency).toBeDefined();
      const expected =
        service !== undefined && isOneShot(service) ? 'service_completed_successfully' : 'service_healthy';
      expect(condition, dependency).toBe(expected);
    }
  });

  test.each(services)('holds no password for %s and refuses to start without one', (_name, { environment = {} }) => {
    const secrets = Object.entries(environment).filter(([name]) => /PASSWORD|PWD|SECRET|TOKEN/.test(name));
    // Compose demands a variable with `:?` also for a service whose profile is off; oauth2-proxy refuses to start by itself.
    const own = /^\$\{POSTGRES_PASSWORD:\?.+\}$|^\$\{SIGN_IN_[A-Z_]+:-\}$/;
    for (const [name, value] of secrets) expect(value, name).toMatch(own);
  });

  test('keeps the database in a named volume', () => {
    const [source] = compose.services['postgres']?.volumes?.[0]?.split(':') ?? [];

    expect(Object.keys(compose.volumes)).toContain(source);
  });

  test('gives the server enough history shards, which cannot be changed later', () => {
    expect(compose.services['temporal']?.environment?.['NUM_HISTORY_SHARDS']).toBe('512');
  });

  test('runs the same version of server and schema tool', () => {
    const version = (name: string) => compose.services[name]?.image.split(':')[1];

    expect(version('temporal-schema')).toBe(version('temporal'));
    expect(version('temporal-namespace')).toBe(version('temporal'));
  });
});

describe('the sign-in', () => {
  const signIn = compose.services['sign-in'];

  test('runs the version that its settings are tested with', () => {
    const source = readFileSync(join(root, 'scripts', 'setup', 'oauth2-proxy', 'go.mod'), 'utf8');
    const [, version] = /oauth2-proxy\/v7 v(\S+)/.exec(source) ?? [];

    expect(signIn?.image).toMatch(new RegExp(`:v${version}(?:-alpine)?$`));
  });

  test('is off unless it is asked for', () => {
    expect(signIn?.profiles).toEqual(['sign-in']);
  });
});

describe('the one-shot jobs', () => {
  const scripts = services.flatMap(([, service]) => service.entrypoint?.filter((part) => part.endsWith('.sh')) ?? []);

  test.each(scripts)('%s is a shell script that parses', (script) => {
    const file = script.replace(/^\/nodeferry/, join(root, 'deploy', 'compose'));

    expect(() => execFileSync('sh', ['-n', file], { stdio: 'pipe' })).not.toThrow();
  });

  test('register every search attribute that workflows set', () => {
    const script = readFileSync(join(root, 'deploy', 'compose', 'setup-namespace.sh'), 'utf8');
    const registered = [...script.matchAll(/--name (\S+) --type (\S+)/g)].map(
      ([, name, type]) => `${name} ${type?.toUpperCase()}`,
    );

    expect(registered.sort()).toEqual(
      Object.values(searchAttributes)
        .map(({ name, type }) => `${name} ${type}`)
        .sort(),
    );
  });
});
