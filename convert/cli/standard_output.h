// What a command says: data on stdout, messages on stderr. Text for people goes through terminal_text, so that no name of a model
// gives orders to the terminal; a failed write of stdout is an error of the command.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace edgeconv::cli {

// As it is: JSON. Throws FatalError(kIo) if it cannot be written.
void print_data(const std::string& data);
// For people. Throws as print_data.
void print_text(const std::string& text);
template <typename... Args>
void print(fmt::format_string<Args...> form, Args&&... args) {
  print_text(fmt::format(form, std::forward<Args>(args)...));
}
// Data that is printed reaches the file or pipe at last. Throws as print_data.
void flush_output();

// For people, on stderr.
void tell(const std::string& text);

}  // namespace edgeconv::cli
