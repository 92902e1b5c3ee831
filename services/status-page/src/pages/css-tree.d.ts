// Parts of css-tree without its syntax tables, which take memory and cannot be bundled. The types are those of the whole.

declare module "css-tree/parser" {
  import { parse } from "css-tree";

  export default parse;
}

declare module "css-tree/walker" {
  import { walk } from "css-tree";

  export default walk;
}

declare module "css-tree/generator" {
  import { generate } from "css-tree";

  export default generate;
}
