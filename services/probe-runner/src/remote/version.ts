import about from "../../package.json" with { type: "json" };

/** True if Sonde is more than one minor version older or newer than this runner, which then should be updated. */
export function hasOtherMinor(sonde: string, own: string = about.version): boolean {
  const [[major, minor], [ownMajor, ownMinor]] = [partsOf(sonde), partsOf(own)];
  return major !== ownMajor || Math.abs(minor - ownMinor) > 1;
}

const partsOf = (version: string): [number, number] => {
  const [major = 0, minor = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  return [major, minor];
};
