import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Badge } from "../ui/badge.tsx";

type TagListProps = {
  tags: readonly string[];
  /** Maximum number shown directly. The others are counted. */
  max: number;
  onTag: (tag: string) => void;
  /** Describes the action of a tag. */
  titleOf: (tag: string) => string;
};

/** Maximum size of the list of all tags, in pixels. */
const box = { width: 288, height: 160 };

export function TagList({ tags, max, onTag, titleOf }: TagListProps) {
  if (tags.length === 0) return null;
  return (
    <span className="flex min-w-0 items-center gap-1">
      {tags.slice(0, max).map((tag) => (
        <button
          key={tag}
          type="button"
          title={titleOf(tag)}
          onClick={() => onTag(tag)}
          className="inline-flex min-h-6 max-w-28 min-w-8 items-center rounded-sm"
        >
          <Badge className="hover:text-ink">
            <span className="truncate">{tag}</span>
          </Badge>
        </button>
      ))}
      {tags.length > max && <AllTags tags={tags} max={max} onTag={onTag} />}
    </span>
  );
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
              <button
                key={tag}
                type="button"
                onClick={() => onTag(tag)}
                className="inline-flex min-h-6 max-w-full items-center rounded-sm"
              >
                <Badge className="hover:text-ink">{tag}</Badge>
              </button>
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
