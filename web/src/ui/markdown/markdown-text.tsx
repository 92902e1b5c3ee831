import Markdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";

// No images, which would be fetched from arbitrary hosts. No raw HTML: react-markdown shows it as text.
const shown = ["p", "br", "strong", "em", "del", "a", "ul", "ol", "li", "code", "pre", "blockquote", "hr"];
const headings = ["h1", "h2", "h3", "h4", "h5", "h6"];
const tables = ["table", "thead", "tbody", "tr", "th", "td"];

const heading: Components["h1"] = ({ children }) => <p className="font-semibold">{children}</p>;
const components: Components = {
  // Headings in the text must not mix with the page's headings.
  ...Object.fromEntries(headings.map((name) => [name, heading])),
  // react-markdown removes URLs that are not web addresses.
  a: ({ href, children }) =>
    href === undefined || href === "" ? (
      <>{children}</>
    ) : (
      <a
        href={href}
        target="_blank"
        rel="noopener noreferrer nofollow"
        className="break-all text-accent-strong underline underline-offset-2"
      >
        {children}
      </a>
    ),
  ul: ({ children }) => <ul className="list-disc space-y-1 pl-5">{children}</ul>,
  ol: ({ children, start }) => (
    <ol start={start} className="list-decimal space-y-1 pl-5">
      {children}
    </ol>
  ),
  code: ({ children }) => <code className="rounded-sm bg-sunken px-1 py-0.5 font-mono text-[13px]">{children}</code>,
  pre: ({ children }) => (
    <pre
      tabIndex={0}
      className="overflow-x-auto rounded-md border border-line bg-sunken p-3 font-mono text-[13px] [&_code]:p-0"
    >
      {children}
    </pre>
  ),
  blockquote: ({ children }) => <blockquote className="border-l-2 border-line pl-3 text-muted">{children}</blockquote>,
  table: ({ children }) => (
    <div tabIndex={0} className="overflow-x-auto">
      <table className="border-collapse text-left [&_td]:border [&_td]:px-2 [&_td]:py-1 [&_th]:border [&_th]:px-2 [&_th]:py-1">
        {children}
      </table>
    </div>
  ),
};

/** Renders users' Markdown as React elements, with links and lists, without images and HTML. */
export default function MarkdownText({ text }: { text: string }) {
  return (
    <div className="flex flex-col gap-2 break-words">
      <Markdown
        remarkPlugins={[remarkGfm]}
        allowedElements={[...shown, ...headings, ...tables]}
        unwrapDisallowed
        components={components}
      >
        {text}
      </Markdown>
    </div>
  );
}
