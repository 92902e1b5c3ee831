export const paletteLook = {
  shade: "fade-in fixed inset-0 z-40 bg-shade",
  box:
    "fade-in fixed top-[12dvh] left-1/2 z-50 flex max-h-[70dvh] w-[min(38rem,calc(100vw-2rem))] -translate-x-1/2 flex-col " +
    "overflow-hidden rounded-lg border border-line bg-raised shadow-lifted",
  line: "flex items-center gap-2.5 border-b border-line px-4",
  field: "h-12 min-w-0 flex-1 bg-transparent text-[15px] outline-none",
};
