import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Badge } from "../ui/badge.tsx";
import { cx } from "../ui/cx.ts";

type TagListProps = {
  tags: readonly string[];
  /** Maximum number shown directly. The others are counted. */
  max: number;
  onTag: (tag: string) => void;
  /** Describes the action of a tag. */
  titleOf: (tag: string) => string;
  className?: string;
};

/** Maximum size of the list of all tags, in pixels. */
const box = { width: 288, height: 160 };
/** Space between tags, and width of the number of hidden ones with its space, in pixels. */
const [gapPx, restPx] = [4, 36];

/** Tags in one line. Those that do not fit are counted. */
export function TagList({ tags, max, onTag, titleOf, className }: TagListProps) {
  const line = useRef<HTMLSpanElement>(null);
  const [fitting, setFitting] = useState(max);
  const offered = tags.slice(0, max);
  const key = offered.join("\n");
  useEffect(() => {
    if (line.current === null || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver((entries) => {
      for (const { target, contentRect } of entries) {
        const widths = [...target.querySelectorAll<HTMLElement>(":scope > button")].map(
          ({ offsetWidth }) => offsetWidth,
        );
        setFitting(countFitting(widths, tags.length, contentRect.width));
      }
    });
    observer.observe(line.current);
    return () => observer.disconnect();
  }, [key, tags.length]);
  const count = Math.min(offered.length, fitting);
  if (tags.length === 0) return null;
  return (
    <span
      ref={line}
      className={cx("relative flex min-w-9 items-center gap-1 overflow-clip [overflow-clip-margin:3px]", className)}
    >
      {offered.map((tag, index) => (
        <Tag
          key={tag}
          tag={tag}
          title={titleOf(tag)}
          onTag={onTag}
          // Hidden tags keep their width for the next measurement.
          className={cx("max-w-28 shrink-0", index >= count && "invisible absolute")}
        />
      ))}
      {tags.length > count && <AllTags tags={tags} max={count} onTag={onTag} />}
    </span>
  );
}

type TagProps = { tag: string; title?: string; onTag: (tag: string) => void; className: string };

function Tag({ tag, title, onTag, className }: TagProps) {
  return (
    <button
      type="button"
      title={title}
      onClick={() => onTag(tag)}
      className={cx("inline-flex min-h-6 items-center rounded-sm", className)}
    >
      <Badge className="hover:text-ink">
        <span className="truncate">{tag}</span>
      </Badge>
    </button>
  );
}

/** Number of the first tags that fit, with room for the number of the others. */
function countFitting(widths: readonly number[], total: number, roomPx: number): number {
  let count = widths.length;
  const needed = () =>
    widths.slice(0, count).reduce((sum, width) => sum + width + gapPx, -gapPx) + (count < total ? restPx : 0);
  while (count > 0 && needed() > roomPx) count -= 1;
  return count;
}

type Place = { left: number; top?: number; bottom?: number };

/**
 * Shows the number of hidden tags, and all tags in a box. The box is positioned in the window, because the table cuts
 * off its rows. Escape, a click elsewhere, scrolling, or leaving it with pointer or focus closes it.
 */
function AllTags({ tags, max, onTag }: Omit<TagListProps, "titleOf">) {
  const { t } = useTranslation();
  const own = useRef<HTMLSpanElement>(null);
  const [place, setPlace] = useState<Place | null>(null);
  const count = tags.length - max;
  const open = () => own.current !== null && setPlace(placeBeside(own.current.getBoundingClientRect()));
  const close = () => setPlace(null);
  useCloseFromOutside(place !== null, (target) => target === null || own.current?.contains(target) !== true, close);

  return (
    <span
      ref={own}
      className="shrink-0"
      onPointerEnter={({ pointerType }) => pointerType === "mouse" && open()}
      onPointerLeave={({ pointerType }) => pointerType === "mouse" && close()}
      onFocus={open}
      onBlur={({ relatedTarget }) => own.current?.contains(relatedTarget) !== true && close()}
    >
      <button
        type="button"
        aria-expanded={place !== null}
        aria-label={t("monitorList.tags.all", { count })}
        onClick={open}
        className="tnum inline-flex min-h-6 min-w-6 items-center rounded-sm"
      >
        <Badge className="hover:text-ink">+{count}</Badge>
      </button>
      {place !== null && (
        <span style={place} className="fixed z-30 block w-max max-w-72 py-1">
          <span className="flex max-h-36 flex-wrap gap-1 overflow-y-auto rounded-md border border-line bg-raised p-2 shadow-lifted">
            {tags.map((tag) => (
              <Tag key={tag} tag={tag} onTag={onTag} className="max-w-full" />
            ))}
          </span>
        </span>
      )}
    </span>
  );
}

/** Places the box below the element, or above it if there is no room below. */
function placeBeside({ left, top, bottom }: DOMRect): Place {
  const inside = Math.max(8, Math.min(left, innerWidth - box.width - 8));
  return bottom + box.height > innerHeight
    ? { left: inside, bottom: innerHeight - top }
    : { left: inside, top: bottom };
}

function useCloseFromOutside(isOpen: boolean, isOutside: (target: Node | null) => boolean, close: () => void) {
  const look = useEffectEvent(({ target }: Event) => {
    if (isOutside(target instanceof Node ? target : null)) close();
  });
  const escape = useEffectEvent(({ key }: globalThis.KeyboardEvent) => {
    if (key === "Escape") close();
  });
  useEffect(() => {
    if (!isOpen) return;
    const options = { capture: true };
    document.addEventListener("pointerdown", look, options);
    document.addEventListener("scroll", look, options);
    document.addEventListener("keydown", escape);
    return () => {
      document.removeEventListener("pointerdown", look, options);
      document.removeEventListener("scroll", look, options);
      document.removeEventListener("keydown", escape);
    };
  }, [isOpen]);
}
