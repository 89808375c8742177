// The library of the protocol, as a separate file.
export * from "vscode-languageclient/node";
