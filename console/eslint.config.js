import hooks from "eslint-plugin-react-hooks";
import typed from "typescript-eslint";

export default [
  { ignores: ["node_modules", "src/api/schema.ts"] },
  ...typed.configs.strict,
  {
    plugins: { "react-hooks": hooks },
    rules: {
      "react-hooks/rules-of-hooks": "error",
      // a discarded part of a destructuring is written `_`
      "@typescript-eslint/no-unused-vars": ["error", { varsIgnorePattern: "^_+$", argsIgnorePattern: "^_+$" }],
      // an index the loop above has just checked
      "@typescript-eslint/no-non-null-assertion": "off",
    },
  },
];
