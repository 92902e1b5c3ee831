import { cx } from "./cx.ts";

type LogoProps = {
  bare?: boolean;
  narrow?: boolean;
  className?: string;
};

/** The mark, a dot with two arcs, and the name unless `bare`. */
export function Logo({ bare = false, narrow = false, className }: LogoProps) {
  const name = bare ? "sr-only" : narrow ? "max-[22.5rem]:sr-only" : undefined;
  return (
    <span
      className={cx(
        "inline-flex items-center gap-2 font-semibold tracking-tight whitespace-nowrap text-ink",
        className,
      )}
    >
      <svg
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth="2.5"
        strokeLinecap="round"
        aria-hidden="true"
        className="size-[1.4em] text-accent"
      >
        <circle cx="6.5" cy="17.5" r="3" fill="currentColor" stroke="none" />
        <path d="M6.5 9.5a8 8 0 0 1 8 8" />
        <path d="M6.5 3.5a14 14 0 0 1 14 14" />
      </svg>
      <span className={name}>Sonde</span>
    </span>
  );
}
