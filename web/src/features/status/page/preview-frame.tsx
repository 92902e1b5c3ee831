import { useEffect, useRef, useState } from "react";

export type PreviewWidth = "desktop" | "phone";

/** As wide as a window of such a device, in CSS pixels. */
const widthPx: Record<PreviewWidth, number> = { desktop: 900, phone: 390 };

type PreviewFrameProps = { html: string; width: PreviewWidth; title: string };

/**
 * A document of the server in a frame that runs nothing. It keeps the app's origin, so that its style sheet and its font
 * load; a frame without `allow-scripts` can do nothing with that.
 */
export function PreviewFrame({ html, width, title }: PreviewFrameProps) {
  const box = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const scrolledTo = useRef(0);
  const [room, setRoom] = useState(0);
  useEffect(() => {
    if (box.current === null) return;
    const observer = new ResizeObserver(([entry]) => setRoom(entry?.contentRect.width ?? 0));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  // A window that is wider than the room is drawn smaller; a narrower one is centred.
  const scale = room === 0 ? 1 : Math.min(1, room / widthPx[width]);
  const shownPx = room === 0 ? "100%" : Math.min(room, widthPx[width]);
  return (
    <div
      ref={box}
      className="relative h-[70dvh] min-h-96 overflow-hidden rounded-b-lg bg-sunken xl:h-[calc(100dvh-11rem)]"
    >
      <div className="absolute inset-y-0 left-1/2 -translate-x-1/2 overflow-hidden" style={{ width: shownPx }}>
        <iframe
          ref={frame}
          title={title}
          srcDoc={html}
          sandbox="allow-same-origin"
          onLoad={() => {
            const view = frame.current?.contentWindow;
            if (view === null || view === undefined) return;
            view.scrollTo(0, scrolledTo.current);
            view.addEventListener("scroll", () => (scrolledTo.current = view.scrollY), { passive: true });
          }}
          className="origin-top-left border-0"
          style={{ width: widthPx[width], height: `${100 / scale}%`, transform: `scale(${scale})` }}
        />
      </div>
    </div>
  );
}
