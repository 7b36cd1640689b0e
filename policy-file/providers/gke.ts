import { text } from '../fields.ts';
import type { ProviderSection } from './section.ts';

/** Maximum length of the name of a cluster and of a node pool (GKE API reference, Cluster and NodePool). */
const maxNameLength = 40;

/** Lower-case letters, digits and hyphens; it begins with a letter and ends with a letter or digit (the same). */
const namePattern = /^[a-z](?:[a-z0-9-]*[a-z0-9])?$/;

const nameForm = `at most ${maxNameLength} lower-case letters, digits and -, beginning with a letter and not ending with -`;

/** Node pools of GKE in a policy. */
export const gke: ProviderSection = {
  maxPoolNameLength: maxNameLength,

  clusterName: text(`a GKE cluster name: ${nameForm}`, namePattern, maxNameLength).meta({
    description: 'Name of the cluster.',
  }),

  /** A region (`europe-west1`) or a zone of it (`europe-west1-b`, `us-central1-ai1a`; Compute Engine documentation, "Regions and zones"). */
  region: text(
    'the location of a GKE cluster: a region such as europe-west1, or for a zonal cluster a zone such as europe-west1-b',
    /^[a-z]+-[a-z]+\d{1,2}(?:-[a-z0-9]+)?$/,
    32,
  ).meta({
    description:
      'Location of the cluster: a region, e.g. europe-west1, or the zone of a zonal cluster, e.g. europe-west1-b.',
  }),

  cluster: {
    /** Resource Manager documentation, "Creating and managing projects"; old projects have a domain in front. */
    project: text(
      'the ID of a Google Cloud project, such as shop-prod: 6 to 30 lower-case letters, digits and -, beginning with a letter',
      /^(?:[a-z0-9.-]+:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$/,
      128,
    )
      .meta({
        description:
          'ID of the Google Cloud project of the cluster. Default: GOOGLE_CLOUD_PROJECT of the worker, else the project of its credentials.',
      })
      .optional(),
  },

  poolName: (description) =>
    text(`a GKE node pool name: ${nameForm}`, namePattern, maxNameLength).meta({ description }),

  target: {
    /** GKE takes both forms (GKE API reference, NodePool.version). */
    releaseVersion: text('a GKE version, such as 1.34.2-gke.1000', /^1\.[1-9]\d{0,2}\.\d{1,4}(?:-gke\.\d{1,9})?$/, 64)
      .meta({
        description:
          'GKE version of the new nodes, e.g. 1.34.2-gke.1000. Default: the newest that GKE offers of their Kubernetes version.',
      })
      .optional(),
  },

  // Without `gke.`, so that the next upgrade recognizes the version at the end of the name.
  nameSuffix: ({ releaseVersion }) => releaseVersion?.replace('-gke.', '.'),
};
