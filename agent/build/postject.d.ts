declare module "postject" {
  /** Adds `data` to an executable (ELF, Mach-O or PE) as a resource, and flips the fuse that announces it. */
  export function inject(
    filename: string,
    resourceName: string,
    data: Buffer,
    options: { sentinelFuse: string; machoSegmentName?: string },
  ): Promise<void>;
}
