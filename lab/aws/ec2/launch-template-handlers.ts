import type {
  CreateLaunchTemplateRequest,
  CreateLaunchTemplateResult,
  CreateLaunchTemplateVersionRequest,
  CreateLaunchTemplateVersionResult,
  DescribeLaunchTemplateVersionsRequest,
  DescribeLaunchTemplateVersionsResult,
  _InstanceType as InstanceType,
  LaunchTemplate as LaunchTemplateDescription,
  LaunchTemplateVersion as VersionDescription,
} from '@aws-sdk/client-ec2';
import { AwsError } from '../codec/errors.ts';
import { pageOf } from '../paging.ts';
import { randomHex } from '../random.ts';
import { notifyChange, type World } from '../world.ts';
import type { LaunchTemplate, LaunchTemplateVersion } from './state.ts';

/** How requests name a launch template. */
type Reference = Pick<DescribeLaunchTemplateVersionsRequest, 'LaunchTemplateId' | 'LaunchTemplateName'>;

/** Makes a launch template of one version. */
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
      const found = template.versions.filter(({ number }) => wanted?.includes(number) ?? true);
      const page = pageOf(found, input.NextToken, input.MaxResults ?? 200, 'InvalidNextToken');
      return {
        NextToken: page.nextToken,
        LaunchTemplateVersions: page.items.map((version) => describeVersion(template, version)),
      };
    },
  };
}
