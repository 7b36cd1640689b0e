import type {
  CreateLaunchTemplateRequest,
  CreateLaunchTemplateResult,
  CreateLaunchTemplateVersionRequest,
  CreateLaunchTemplateVersionResult,
  DescribeLaunchTemplateVersionsRequest,
  DescribeLaunchTemplateVersionsResult,
  _InstanceType as InstanceType,
  LaunchTemplate as LaunchTemplateDescription,
  RunInstancesRequest,
  LaunchTemplateVersion as VersionDescription,
} from '@aws-sdk/client-ec2';
import { AwsError } from '../codec/errors.ts';
import { forbiddenError, isForbidden } from '../faults.ts';
import { pageOf } from '../paging.ts';
import { randomHex } from '../random.ts';
import { notifyChange, type World } from '../world.ts';
import type { LaunchTemplate, LaunchTemplateVersion } from './state.ts';

/** How requests name a launch template. */
type Reference = Pick<DescribeLaunchTemplateVersionsRequest, 'LaunchTemplateId' | 'LaunchTemplateName'>;

/** Creates a launch template with one version. */
export function createLaunchTemplate(
  world: World,
  name: string,
  imageId: string,
  instanceType: string,
): LaunchTemplate {
  const template: LaunchTemplate = {
    id: `lt-${randomHex(world.random, 17)}`,
    name,
    createdAt: world.clock.now(),
    versions: [{ number: 1, imageId, instanceType }],
    defaultVersion: 1,
  };
  world.launchTemplates.set(template.id, template);
  return template;
}

function describe(template: LaunchTemplate): LaunchTemplateDescription {
  return {
    LaunchTemplateId: template.id,
    LaunchTemplateName: template.name,
    CreateTime: new Date(template.createdAt),
    DefaultVersionNumber: template.defaultVersion,
    LatestVersionNumber: template.versions.length,
  };
}

function describeVersion(template: LaunchTemplate, version: LaunchTemplateVersion): VersionDescription {
  return {
    LaunchTemplateId: template.id,
    LaunchTemplateName: template.name,
    VersionNumber: version.number,
    DefaultVersion: version.number === template.defaultVersion,
    CreateTime: new Date(template.createdAt),
    LaunchTemplateData: {
      ImageId: version.imageId === '' ? undefined : version.imageId,
      InstanceType: version.instanceType === '' ? undefined : (version.instanceType as InstanceType),
    },
  };
}

/** EC2 operations on launch templates. */
export function launchTemplateHandlers(world: World) {
  const byName = (name: string) => [...world.launchTemplates.values()].find((template) => template.name === name);

  function requireTemplate({ LaunchTemplateId, LaunchTemplateName = '' }: Reference): LaunchTemplate {
    const found =
      LaunchTemplateId === undefined ? byName(LaunchTemplateName) : world.launchTemplates.get(LaunchTemplateId);
    if (found !== undefined) return found;
    throw new AwsError('InvalidLaunchTemplateId.NotFound', 'The specified launch template does not exist.');
  }

  return {
    CreateLaunchTemplate(input: CreateLaunchTemplateRequest): CreateLaunchTemplateResult {
      const name = input.LaunchTemplateName ?? '';
      if (byName(name) !== undefined) {
        throw new AwsError('InvalidLaunchTemplateName.AlreadyExistsException', 'Launch template name already in use.');
      }
      const { ImageId = '', InstanceType: type = '' } = input.LaunchTemplateData ?? {};
      const template = createLaunchTemplate(world, name, ImageId, type);
      notifyChange(world);
      return { LaunchTemplate: describe(template) };
    },

    /** A new version doesn't become the default one (EC2 API reference, CreateLaunchTemplateVersion). */
    CreateLaunchTemplateVersion(input: CreateLaunchTemplateVersionRequest): CreateLaunchTemplateVersionResult {
      const template = requireTemplate(input);
      const source = template.versions.find(({ number }) => String(number) === input.SourceVersion);
      const version: LaunchTemplateVersion = {
        number: template.versions.length + 1,
        imageId: input.LaunchTemplateData?.ImageId ?? source?.imageId ?? '',
        instanceType: input.LaunchTemplateData?.InstanceType ?? source?.instanceType ?? '',
      };
      template.versions.push(version);
      notifyChange(world);
      return { LaunchTemplateVersion: describeVersion(template, version) };
    },

    DescribeLaunchTemplateVersions(input: DescribeLaunchTemplateVersionsRequest): DescribeLaunchTemplateVersionsResult {
      const template = requireTemplate(input);
      const named: Record<string, number> = { $Latest: template.versions.length, $Default: template.defaultVersion };
      const wanted = input.Versions?.map((version) => named[version] ?? Number(version));
      const missing = wanted?.find((number) => !template.versions.some((version) => version.number === number));
      if (missing !== undefined) {
        throw new AwsError(
          'InvalidLaunchTemplateId.VersionNotFound',
          `Could not find launch template version ${missing}`,
        );
      }
      const found = template.versions.filter(({ number }) => wanted?.includes(number) ?? true);
      const page = pageOf(found, input.NextToken, input.MaxResults ?? 200, 'InvalidNextToken');
      return {
        NextToken: page.nextToken,
        LaunchTemplateVersions: page.items.map((version) => describeVersion(template, version)),
      };
    },

    /**
     * Dry runs only: a caller who may launch gets DryRunOperation, any other UnauthorizedOperation. So does one who may not tag what it launches (EC2
     * API reference, RunInstances; "Error codes"; EC2 user guide, "Grant permission to tag resources").
     */
    RunInstances(input: RunInstancesRequest): object {
      if (input.TagSpecifications !== undefined && isForbidden(world.faults, 'ec2', 'CreateTags')) {
        throw forbiddenError('ec2', 'CreateTags');
      }
      const { LaunchTemplateId, Version = '' } = input.LaunchTemplate ?? {};
      const template = LaunchTemplateId === undefined ? undefined : requireTemplate({ LaunchTemplateId });
      const version = template?.versions.find(({ number }) => String(number) === Version);
      if ((input.ImageId ?? version?.imageId ?? '') === '') {
        throw new AwsError('MissingParameter', 'The request must contain the parameter ImageId');
      }
      if (input.DryRun === true)
        throw new AwsError('DryRunOperation', 'Request would have succeeded, but DryRun flag is set.', 412);
      throw new AwsError('UnsupportedOperation', 'Only Auto Scaling groups launch instances here.');
    },
  };
}
