import { noResource } from '../errors.ts';
import type { World } from '../world.ts';
import type { ComputeCall, Handler } from './call.ts';
import { pageOf, parseFilter } from './filter.ts';
import { linkTo } from './links.ts';

/** What exists from the start and never changes: the project, its region and zones, one network with one subnet. */
export function locationHandlers(world: World): Readonly<Record<string, Handler>> {
  const region = `regions/${world.region}`;
  const network = 'global/networks/default';
  const subnetwork = `${region}/subnetworks/default`;
  const zones = world.zones.map((name) => ({
    kind: 'compute#zone',
    name,
    status: 'UP',
    region: linkTo(world, region),
    selfLink: linkTo(world, `zones/${name}`),
  }));
  const regions = [
    {
      kind: 'compute#region',
      name: world.region,
      status: 'UP',
      zones: zones.map(({ selfLink }) => selfLink),
      selfLink: linkTo(world, region),
    },
  ];
  const networks = [
    {
      kind: 'compute#network',
      name: 'default',
      autoCreateSubnetworks: true,
      subnetworks: [linkTo(world, subnetwork)],
      selfLink: linkTo(world, network),
    },
  ];
  const subnetworks = [
    {
      kind: 'compute#subnetwork',
      name: 'default',
      ipCidrRange: '10.0.0.0/16',
      network: linkTo(world, network),
      region: linkTo(world, region),
      stackType: 'IPV4_ONLY',
      selfLink: linkTo(world, subnetwork),
    },
  ];
  const all = { zones, regions, networks, subnetworks };
  return {
    'projects.get': () => ({ kind: 'compute#project', name: world.project, selfLink: linkTo(world, '').slice(0, -1) }),
    ...Object.fromEntries(
      Object.entries(all).flatMap(([api, items]) => [
        [
          `${api}.list`,
          ({ query }: ComputeCall) => pageOf<object>(items.filter(parseFilter(query.get('filter'))), query),
        ],
        [`${api}.get`, ({ path }: ComputeCall) => findIn(world, api, items, path['name'])],
      ]),
    ),
  };
}

function findIn(world: World, api: string, items: readonly { readonly name: string }[], name: string | undefined) {
  const item = items.find((one) => one.name === name);
  if (item === undefined) throw noResource(world.project, `${api}/${name}`);
  return item;
}
