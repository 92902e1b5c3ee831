declare module "postject" {
  /** Puts `data` into an executable (ELF, Mach-O or PE) as a resource, and flips the fuse that says so. */
  export function inject(
    filename: string,
    resourceName: string,
    data: Buffer,
    options: { sentinelFuse: string; machoSegmentName?: string },
  ): Promise<void>;
}
