// dist/sbom.cdx.json: what is in the bundles and what npm installs with them, as CycloneDX 1.6. Without a time and a
// serial number: the same sources give the same bytes.
import {dependencyFolder, manifestOf} from './packages.mjs';

/**
 * @param {ReturnType<typeof import('./packages.mjs').shippedPackages>} packages
 * @param {Record<string, {integrity?: string}>} locked `packages` of package-lock.json
 */
export function sbomText(packages, locked) {
  const own = manifestOf('');
  const components = new Map(packages.map((one) => [purlOf(one.manifest), componentOf(one, locked)]));
  const bom = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      lifecycles: [{phase: 'build'}],
      component: {type: 'application', ...identityOf(own), description: own.description},
    },
    components: [...components.values()],
    dependencies: dependenciesOf(own, packages),
  };
  return `${JSON.stringify(bom)}\n`;
}

export const purlOf = ({name, version}) =>
  `pkg:npm/${name.replace('@', '%40')}@${encodeURIComponent(version)}`;

function identityOf(manifest) {
  const [, group, name] = /^(?:(@[^/]+)\/)?(.+)$/.exec(manifest.name);
  return {
    'bom-ref': purlOf(manifest),
    ...(group === undefined ? {} : {group}),
    name,
    version: manifest.version,
    licenses: [
      / /.test(manifest.license) ? {expression: manifest.license} : {license: {id: manifest.license}},
    ],
    purl: purlOf(manifest),
  };
}

/** The hash is that of the package's tarball, from the lock file. */
function componentOf({folder, manifest, bundledIn}, locked) {
  const sha512 = /^sha512-(\S+)$/.exec(locked[folder]?.integrity ?? '')?.[1];
  if (sha512 === undefined) throw new Error(`package-lock.json has no SHA-512 for ${folder}`);
  return {
    type: 'library',
    ...identityOf(manifest),
    scope: 'required',
    hashes: [{alg: 'SHA-512', content: Buffer.from(sha512, 'base64').toString('hex')}],
    ...(bundledIn.length === 0 ? {} : {evidence: {occurrences: bundledIn.map((location) => ({location}))}}),
  };
}

/** Of each package, those of its dependencies that are shipped. */
function dependenciesOf(own, packages) {
  const purls = new Map(packages.map(({folder, manifest}) => [folder, purlOf(manifest)]));
  const shipped = (from, {dependencies, optionalDependencies, peerDependencies, devDependencies}, isRoot) => {
    const names = Object.keys({...dependencies, ...optionalDependencies, ...peerDependencies});
    if (isRoot) names.push(...Object.keys(devDependencies)); // bundled packages are installed for the build only
    return [...new Set(names.flatMap((name) => purls.get(dependencyFolder(from, name)) ?? []))].sort();
  };
  const edges = new Map([[purlOf(own), shipped('', own, true)]]);
  for (const {folder, manifest} of packages) edges.set(purlOf(manifest), shipped(folder, manifest, false));
  return [...edges].map(([ref, dependsOn]) => ({ref, ...(dependsOn.length === 0 ? {} : {dependsOn})}));
}
