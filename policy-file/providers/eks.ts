import { text, word } from '../fields.ts';
import type { ProviderSection } from './section.ts';

/** Maximum length of the name of an EKS node group (Amazon EKS API reference, CreateNodegroup). */
const maxPoolNameLength = 63;

/** EKS managed node groups in a policy. */
export const eks: ProviderSection = {
  maxPoolNameLength,

  /**
   * Letters, digits, hyphens and underscores, at most 100 (Amazon EKS API reference, CreateCluster). A slash would make a run that no command
   * can name, because commands read CLUSTER/POOL.
   */
  clusterName: text(
    'an EKS cluster name: at most 100 letters, digits, - and _, beginning with a letter or digit',
    /^[0-9A-Za-z][0-9A-Za-z_-]*$/,
    100,
  ).meta({ description: 'Name of the cluster.' }),

  /** The form of all regions in all partitions (aws/aws-sdk-js-v3, partitions.json: `us-gov-west-1`, `eu-isoe-west-1`, `eusc-de-east-1`). */
  region: text('an AWS region, such as eu-west-1', /^[a-z]{2,4}(?:-[a-z]+)+-\d{1,2}$/, 32).meta({
    description: 'Region of the cluster, e.g. eu-west-1.',
  }),

  cluster: {},

  /** Letters, digits, hyphens and underscores (Amazon EKS API reference, CreateNodegroup). */
  poolName: (description) =>
    text(
      `an EKS node group name: at most ${maxPoolNameLength} letters, digits, - and _, beginning with a letter or digit`,
      /^[0-9A-Za-z][0-9A-Za-z_-]*$/,
      maxPoolNameLength,
    ).meta({ description }),

  target: {
    releaseVersion: word(
      'an AMI release version, such as 1.34.2-20251103',
      'AMI release version of the new nodes. Default: the newest release of their Kubernetes version.',
      128,
    ).optional(),
    launchTemplateVersion: word(
      'a launch template version, such as "7"',
      'Launch template version of the new nodes. Default: the version that the old pool uses.',
      64,
    ).optional(),
  },

  nameSuffix: ({ releaseVersion, launchTemplateVersion }) =>
    releaseVersion ?? (launchTemplateVersion === undefined ? undefined : `lt-${launchTemplateVersion}`),
};
