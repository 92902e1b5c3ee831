import about from "../package.json" with { type: "json" };

/** The version of Sonde that answers. */
export const version: string = about.version;
