import typed from "typescript-eslint";

// what runs in pages: each file is one function expression, given to the browser as it stands
export default [
  {
    files: ["**/*.js"],
    languageOptions: { parser: typed.parser },
    rules: {
      "constructor-super": "error",
      "for-direction": "error",
      "no-cond-assign": ["error", "except-parens"],
      "no-const-assign": "error",
      "no-dupe-else-if": "error",
      "no-dupe-keys": "error",
      "no-duplicate-case": "error",
      "no-fallthrough": "error",
      "no-redeclare": "error",
      "no-self-assign": "error",
      "no-sparse-arrays": "error",
      "no-unreachable": "error",
      "no-unsafe-finally": "error",
      "no-unsafe-negation": "error",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", caughtErrors: "none" }],
      "no-var": "error",
      "prefer-const": "error",
      "use-isnan": "error",
      "valid-typeof": "error",
      eqeqeq: ["error", "always", { null: "ignore" }],
    },
  },
];
